import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../fake-bank/random.ts';
import type { Source } from '../support/invariants.ts';
import { PAYEES, UNPAYABLE } from './payees.ts';

const THRESHOLD = 100_000;
const LIMITS = { totalCap: 20_000_000, maxPayments: 100, spendLimitPeriod: 15_000_000 };
/** How long an act is tried, in milliseconds. */
const PATIENCE_MS = 60_000;

/** Sends a request to the service, wherever it is now; throws when nobody answers. */
export type Send = <Body>(
  path: string,
  body: object,
  headers: Record<string, string>,
  method?: string,
) => Promise<{ readonly status: number; readonly body: Body }>;

/** A wallet whose owner controls it. */
interface Controlled {
  readonly id: string;
  key: { readonly id: string; readonly fullKey: string };
}

/** An owner who changes rules, rotates limited keys, decides what waits, and withdraws, while all else goes wrong. */
export class SettlementOwner {
  /** What was answered, by id: it must be so in the end. */
  private readonly words = new Map<string, string>();
  private readonly withdrawals = new Map<string, number>();
  private readonly names = new Set<string>();
  private readonly revoked = new Set<string>();
  /** Each of these is paid out to, and withdrawn to, before chance decides. */
  private readonly first = [...UNPAYABLE, ...UNPAYABLE];
  private readonly send: Send;
  private readonly token: string;
  private readonly random: Random;

  constructor(send: Send, token: string, random: Random) {
    this.send = send;
    this.token = token;
    this.random = random;
  }

  /** Has payments above a threshold of this wallet wait, and makes a limited key for it. */
  async takeControl(id: string): Promise<Controlled> {
    const controls = { approvalThreshold: THRESHOLD, approvalTtlMinutes: 1 };
    await this.act('PATCH', `/api/wallets/${id}`, controls, 200);
    const wallet: Controlled = { id, key: { id: '', fullKey: '' } };
    await this.rotate(wallet);
    return wallet;
  }

  async control(wallet: Controlled, isOver: () => boolean): Promise<void> {
    const acts = [
      () => this.payAndDecide(wallet),
      () => this.withdraw(wallet),
      () => this.payAndDecide(wallet),
      () => this.rename(wallet),
      () => this.payAndDecide(wallet),
      () => this.rotate(wallet),
    ];
    // Each at least once, however soon it is over.
    for (let i = 0; i < 2 * acts.length || !isOver(); i += 1) {
      await acts[i % acts.length]!();
      await sleep(this.random.between(10, 150));
    }
  }

  /** Sends an act again until it has a clear answer; null unless that is the expected one. */
  private async act<Data>(
    method: string,
    path: string,
    body: object,
    expected: number,
    headers: Record<string, string> = {},
  ): Promise<Data | null> {
    const giveUp = Date.now() + PATIENCE_MS;
    while (Date.now() < giveUp) {
      const all = { authorization: `Bearer ${this.token}`, ...headers };
      const answer = await this.send<{ data: Data }>(path, body, all, method).catch(() => null);
      if (answer && answer.status < 500) return answer.status === expected ? answer.body.data : null;
      await sleep(100);
    }
    return null;
  }

  private payee(): readonly [bankCode: string, accountNumber: string] {
    return this.first.shift() ?? PAYEES[Math.floor(this.random.unit() * PAYEES.length)]!;
  }

  private async payAndDecide({ key }: Controlled): Promise<void> {
    const [recipientBankCode, recipientAccountNo] = this.payee();
    const body = {
      amount: THRESHOLD / 2 + Math.floor(this.random.unit() * 2 * THRESHOLD),
      merchantName: 'Acme Stores',
      recipientAccountNo,
      recipientBankCode,
    };
    const headers = { 'x-api-key': key.fullKey, 'idempotency-key': randomUUID() };
    type Paid = { transaction: { id: string }; approval: object };
    const waits = await this.act<Paid>('POST', '/api/payment-intent', body, 202, headers);
    const chance = this.random.unit();
    // Some lapse.
    if (!waits || chance > 0.85) return;
    const words = chance < 0.5 ? ['approve'] : chance < 0.65 ? ['deny'] : ['approve', 'deny'];
    const { id } = waits.transaction;
    await Promise.all(
      words.map(async (word) => {
        type Decided = { approval: { status: string } };
        const decided = await this.act<Decided>('POST', `/v1/approvals/${id}/${word}`, {}, 200);
        if (decided) this.words.set(id, decided.approval.status);
      }),
    );
  }

  private async withdraw({ id }: Controlled): Promise<void> {
    const [bankCode, accountNumber] = this.payee();
    // From the least that the bank pays out.
    const body = { amount: 10_000 + Math.floor(this.random.unit() * 50_000), bankCode, accountNumber };
    const headers = { 'idempotency-key': randomUUID() };
    type Taken = { withdrawal: { id: string } };
    const taken = await this.act<Taken>('POST', `/api/wallets/${id}/withdrawals`, body, 201, headers);
    if (taken) this.withdrawals.set(taken.withdrawal.id, body.amount);
  }

  private async rename({ id }: Controlled): Promise<void> {
    const name = `Agent ${randomUUID()}`;
    const change = { name, spendLimitPerTx: 1_000_000 + Math.floor(this.random.unit() * 1_000) };
    if (await this.act('PATCH', `/api/wallets/${id}`, change, 200)) this.names.add(name);
  }

  private async rotate(wallet: Controlled): Promise<void> {
    const path = `/api/wallets/${wallet.id}/keys`;
    type Made = { apiKey: Controlled['key'] };
    const made = await this.act<Made>('POST', path, { name: 'child', limits: LIMITS }, 201);
    if (!made) return;
    const old = wallet.key.id;
    wallet.key = made.apiKey;
    if (old !== '' && (await this.act('DELETE', `${path}/${old}`, {}, 200))) this.revoked.add(old);
  }

  /** What of that is not on record. */
  async disagreements(books: Source): Promise<string[]> {
    const ids = async (query: string): Promise<Set<string>> =>
      new Set((await books.query<{ id: string }>(query)).map(({ id }) => id));
    const words = await ids(
      `SELECT id || ' ' || approval AS id FROM transactions WHERE approval IS NOT NULL`,
    );
    const withdrawals = await ids(`SELECT id || ' ' || amount AS id FROM withdrawals`);
    const names = await ids(`SELECT after->>'name' AS id FROM wallet_changes WHERE after ? 'name'`);
    const revoked = await ids('SELECT id FROM api_keys WHERE revoked_at IS NOT NULL');
    const lacking = (what: string, stored: ReadonlySet<string>, told: Iterable<string>): string[] =>
      [...told]
        .filter((each) => !stored.has(each))
        .map((each) => `the owner was answered a ${what}: ${each}`);
    const pairs = (told: ReadonlyMap<string, string | number>) =>
      [...told].map(([id, what]) => `${id} ${what}`);
    return [
      ...lacking('decision', words, pairs(this.words)),
      ...lacking('withdrawal', withdrawals, pairs(this.withdrawals)),
      ...lacking('change', names, this.names),
      ...lacking('revocation', revoked, this.revoked),
    ];
  }
}
