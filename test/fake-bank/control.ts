import type { CollectionInput } from './bank.ts';
import type { FakeBank } from './fake-bank.ts';
import { isObject, toKobo, toNaira } from './json.ts';
import type { Answer } from './kora-api.ts';
import type { DeliveryMode } from './outbox.ts';
import type { Rule } from './script.ts';

type Command = (bank: FakeBank, body: Record<string, unknown>, id: string, verb: string) => unknown;

/** The control plane, for tests and demonstrations; the service never calls it. */
const COMMANDS: readonly [method: string, path: RegExp, command: Command][] = [
  ['GET', /^\/__fake\/health$/, () => ({ ok: true })],
  [
    'POST',
    /^\/__fake\/reset$/,
    (bank, { seed }) => bank.reset(seed === undefined ? undefined : Number(seed)),
  ],
  ['POST', /^\/__fake\/script$/, script],
  ['POST', /^\/__fake\/clock\/advance$/, advance],
  ['POST', /^\/__fake\/chaos$/, setChaos],
  ['POST', /^\/__fake\/balance$/, setBalance],
  ['POST', /^\/__fake\/collections$/, (bank, body) => bank.books.collect(body as unknown as CollectionInput)],
  ['POST', /^\/__fake\/payouts\/([^/]+)\/settle$/, settle],
  ['POST', /^\/__fake\/webhooks$/, (bank, { mode }) => void (bank.outbox.mode = mode as DeliveryMode)],
  ['POST', /^\/__fake\/webhooks\/([^/]+)\/(redeliver|drop|hold|release)$/, steer],
  ['GET', /^\/__fake\/calls$/, (bank) => bank.calls],
  ['GET', /^\/__fake\/deliveries$/, (bank) => [...bank.outbox.deliveries.values()]],
  ['GET', /^\/__fake\/state$/, (bank) => bank.state()],
];

/** Runs one command; 404 for one that there is not. */
export async function control(bank: FakeBank, method: string, path: string, body: unknown): Promise<Answer> {
  for (const [verb, pattern, command] of COMMANDS) {
    const match = verb === method ? pattern.exec(path) : null;
    if (!match) continue;
    const given = isObject(body) ? body : {};
    const result = await command(bank, given, decodeURIComponent(match[1] ?? ''), match[2] ?? '');
    return { status: 200, body: result ?? { ok: true } };
  }
  return { status: 404, body: { error: `no such command: ${method} ${path}` } };
}

/** The books with amounts in decimal naira. */
export function stateOf({ books, clock }: FakeBank): Record<string, unknown> {
  return {
    now: clock.iso(),
    balance: toNaira(books.balance),
    accounts: [...books.accounts.values()],
    collections: [...books.collections.values()].map((row) => {
      return { ...row, amount: toNaira(row.amount), fee: toNaira(row.fee) };
    }),
    payouts: [...books.payouts.values()].map((row) => {
      return { ...row, amount: toNaira(row.amount), fee: toNaira(row.fee) };
    }),
  };
}

function script(bank: FakeBank, body: Record<string, unknown>): void {
  if (body.clear === true) bank.script.clear();
  bank.script.add((Array.isArray(body.rules) ? body.rules : []) as Rule[]);
}

async function advance(bank: FakeBank, { ms }: Record<string, unknown>): Promise<unknown> {
  if (!Number.isSafeInteger(ms) || (ms as number) < 0) throw new Error('ms must be a whole number');
  await bank.clock.advance(ms as number);
  return { now: bank.clock.iso() };
}

function setChaos(bank: FakeBank, { rate }: Record<string, unknown>): unknown {
  if (typeof rate !== 'number' || rate < 0 || rate > 1) throw new Error('rate must be from 0 to 1');
  bank.chaos.rate = rate;
  return { hits: bank.chaos.hits };
}

function setBalance(bank: FakeBank, { naira }: Record<string, unknown>): void {
  const balance = toKobo(String(naira));
  if (balance === null) throw new Error('naira must be a decimal');
  bank.books.balance = balance;
}

function settle(bank: FakeBank, body: Record<string, unknown>, reference: string): unknown {
  const { status, ...shape } = body;
  if (status !== 'success' && status !== 'failed' && status !== 'reversed') throw new Error('no such status');
  return bank.books.settle(reference, status, shape);
}

async function steer(
  bank: FakeBank,
  { times }: Record<string, unknown>,
  id: string,
  verb: string,
): Promise<unknown> {
  if (verb === 'redeliver') return { statuses: await bank.outbox.redeliver(id, Number(times ?? 1)) };
  if (verb === 'drop') bank.outbox.drop(id);
  else if (verb === 'hold') bank.outbox.hold(id);
  else bank.outbox.release(id);
  return { ok: true };
}
