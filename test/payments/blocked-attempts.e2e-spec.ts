import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { askAbove } from '../support/approvals.js';
import { brokenInvariants } from '../support/invariants.js';
import {
  type Answer,
  type CreatedWallet,
  expectStatus,
  paymentBody,
  type PaymentAnswer,
  startService,
  type TestService,
} from '../support/service.js';

const MAX = 5;
const STEP_MS = 60_000 / MAX;
const START = Date.parse('2027-03-01T00:00:00.000Z');

let one: TestService;
let other: TestService;
beforeAll(async () => {
  const env = { BLOCKED_ATTEMPTS_PER_MINUTE_MAX: String(MAX) };
  one = await startService({ clock: true, env });
  other = await startService({ beside: one, env });
});
afterEach(async () => {
  await one.setClock(null);
  expect(await brokenInvariants(one)).toEqual({});
});
afterAll(async () => {
  await other.close();
  await one.close();
});

const at = (ms: number): Promise<void> => one.setClock(new Date(START + ms));
const attempts = async ({ id }: CreatedWallet): Promise<number> =>
  (await one.query('SELECT 1 FROM transactions WHERE wallet_id = $1', [id])).length;
const code = ({ status, body, headers }: Answer<PaymentAnswer>): string =>
  status === 429
    ? `429 ${body.code} ${String(headers['retry-after'])}`
    : `${status} ${(body.code as string | undefined) ?? 'ok'}`;
const tooMuch = (key: string, service = one, headers?: Record<string, string>) =>
  service.pay(key, { amount: 200_000 }, headers);
const BLOCKED = '403 SPEND_LIMIT_PER_TX_EXCEEDED';
const newKey = async ({ id, owner }: CreatedWallet, fields: object = {}): Promise<string> =>
  expectStatus(
    201,
    await one.post<{ data: { apiKey: { fullKey: string } } }>(`/api/wallets/${id}/keys`, {
      token: owner.token,
      body: { name: 'another', ...fields },
    }),
  ).body.data.apiKey.fullKey;

describe('blocked attempts of one key', () => {
  it('are stored up to the limit of a minute; one more is refused, and stored as soon as its share has passed', async () => {
    const wallet = await one.fundedWallet(10_000);
    await at(0);
    for (let i = 1; i <= MAX; i += 1) expect(code(await tooMuch(wallet.key))).toBe(BLOCKED);
    const refused = await tooMuch(wallet.key, one, { 'idempotency-key': 'refused' });
    expect(code(refused)).toBe(`429 RATE_LIMITED ${STEP_MS / 1_000}`);
    expect(refused.body).toEqual({
      success: false,
      code: 'RATE_LIMITED',
      message:
        'The amount 200000 is more than this wallet may spend at a time (100000 kobo). Too many payments of this key ' +
        'were blocked: 5 a minute are kept. This one was not; try again in 12 s, under the same Idempotency-Key.',
    });
    expect(await attempts(wallet)).toBe(MAX);
    await at(STEP_MS - 1);
    expect(code(await tooMuch(wallet.key))).toBe('429 RATE_LIMITED 1');
    await at(STEP_MS);
    const stored = await tooMuch(wallet.key, one, { 'idempotency-key': 'refused' });
    expect([code(stored), stored.headers['idempotency-replayed']]).toEqual([BLOCKED, undefined]);
    expect(code(await tooMuch(wallet.key))).toBe('429 RATE_LIMITED 12');
    const again = await tooMuch(wallet.key, one, { 'idempotency-key': 'refused' });
    expect([code(again), again.headers['idempotency-replayed']]).toEqual([BLOCKED, 'true']);
    expect(await attempts(wallet)).toBe(MAX + 1);
    await at(STEP_MS + 60_000);
    for (let i = 1; i <= MAX; i += 1) expect(code(await tooMuch(wallet.key))).toBe(BLOCKED);
    expect(code(await tooMuch(wallet.key))).toBe('429 RATE_LIMITED 12');
    expect(await one.query('SELECT even_at FROM blocked_attempt_limits')).toHaveLength(1);
  });

  it('keep no payment from passing that would pass, nor one from waiting, nor a quote', async () => {
    const wallet = await one.fundedWallet(10_000);
    await askAbove(one, wallet, 9_900);
    await at(0);
    for (let i = 0; i <= MAX; i += 1) await tooMuch(wallet.key);
    expect(code(await one.pay(wallet.key, { amount: 100 }))).toBe('201 ok');
    expect(code(await one.pay(wallet.key, { amount: 9_900 }))).toBe('201 ok');
    expect(code(await one.pay(wallet.key, { amount: 1 }))).toBe('429 RATE_LIMITED 12');
    const quote = await one.post<{ data: { blockReason: string } }>('/api/payment-intent/quote', {
      key: wallet.key,
      body: paymentBody({ amount: 200_000 }),
    });
    expect([quote.status, quote.body.data.blockReason]).toEqual([200, 'SPEND_LIMIT_PER_TX_EXCEEDED']);
    await one.topUp(wallet.id, 10_000);
    expect((await one.pay(wallet.key, { amount: 9_901 })).status).toBe(202);
    expect(await attempts(wallet)).toBe(MAX + 3);
  });

  it('are counted for each key alone, with limits or without', async () => {
    const wallet = await one.fundedWallet(10_000);
    const child = await newKey(wallet, { limits: { maxPayments: 1 } });
    const sibling = await newKey(wallet);
    await at(0);
    for (let i = 0; i < MAX; i += 1) await tooMuch(child);
    expect(code(await tooMuch(child))).toBe('429 RATE_LIMITED 12');
    expect(code(await tooMuch(wallet.key))).toBe(BLOCKED);
    expect(code(await tooMuch(sibling))).toBe(BLOCKED);
  });

  it('are bounded when many arrive at once at two replicas, which count in one place', async () => {
    const wallet = await one.createWallet();
    await at(0);
    const flood = (service: TestService, count: number) =>
      Promise.all(Array.from({ length: count }, () => service.pay(wallet.key)));
    const answers = (await Promise.all([flood(one, 40), flood(other, 40)])).flat();
    const stored = answers.filter(({ status }) => status === 402).length;
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([402, 429]));
    expect(stored).toBeGreaterThanOrEqual(MAX);
    expect(stored).toBeLessThanOrEqual(2 * MAX);
    expect(await attempts(wallet)).toBe(stored);
    // Each learns of the other's with the next one that it stores: what went past the limit is made up for.
    await at(STEP_MS);
    for (const replica of [one, other]) await replica.pay(wallet.key);
    for (const replica of [one, other]) {
      expect((await flood(replica, 3)).map(({ status }) => status)).toEqual([429, 429, 429]);
    }
    const all = await attempts(wallet);
    expect(all).toBeLessThanOrEqual(2 * MAX + 2);
    const rows = await one.query<{ evenAt: Date }>(
      'SELECT even_at AS "evenAt" FROM blocked_attempt_limits WHERE wallet_id = $1',
      [wallet.id],
    );
    expect(rows).toEqual([{ evenAt: new Date(START + all * STEP_MS) }]);
    await at(all * STEP_MS);
    expect((await flood(other, MAX)).map(({ status }) => status)).toEqual(Array<number>(MAX).fill(402));
  });

  it('are counted anew where the count is from before the clock was set back by an hour', async () => {
    const wallet = await one.createWallet();
    const counted = (): Promise<{ evenAt: Date }[]> =>
      one.query('SELECT even_at AS "evenAt" FROM blocked_attempt_limits WHERE wallet_id = $1', [wallet.id]);
    await at(0);
    for (let i = 0; i < MAX; i += 1) await one.pay(wallet.key);
    await one.query(
      `UPDATE blocked_attempt_limits SET even_at = even_at + interval '1 hour' WHERE wallet_id = $1`,
      [wallet.id],
    );
    await at(STEP_MS);
    expect((await one.pay(wallet.key)).status).toBe(402);
    expect(await counted()).toEqual([{ evenAt: new Date(START + 2 * STEP_MS) }]);
    for (let i = 1; i < MAX; i += 1) expect((await one.pay(wallet.key)).status).toBe(402);
    expect(code(await one.pay(wallet.key))).toBe('429 RATE_LIMITED 12');
  });

  it('that can not be counted are not stored either, and the service goes on', async () => {
    // Jest fails the test for a rejection that nothing handles.
    const wallet = await one.createWallet();
    await one.query('ALTER TABLE blocked_attempt_limits ADD CONSTRAINT broken CHECK (false) NOT VALID');
    const failed = await one.pay(wallet.key);
    await one.query('ALTER TABLE blocked_attempt_limits DROP CONSTRAINT broken');
    expect(failed.status).toBe(500);
    expect(await attempts(wallet)).toBe(0);
    expect(code(await one.pay(wallet.key))).toBe('402 INSUFFICIENT_FUNDS');
  });
});
