import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Bank } from '../../src/contexts/bank/bank.port.js';
import { RecentPurchasesStore } from '../../src/contexts/payments/rules/duplicate-guard/recent-purchases.store.js';
import { brokenInvariants } from '../support/invariants.js';
import {
  type Answer,
  type CreatedWallet,
  expectStatus,
  type PaymentAnswer,
  startService,
  type TestService,
} from '../support/service.js';

const MINUTE_MS = 60_000;
/** The bank fails payments of this amount. */
const FAILING_AMOUNT = 777;

let one: TestService;
let other: TestService;
beforeAll(async () => {
  one = await startService({ clock: true });
  other = await startService({ beside: one });
  for (const { app } of [one, other]) {
    jest
      .spyOn(app.get(Bank, { strict: false }), 'startPayout')
      .mockImplementation(({ amount }) =>
        Promise.resolve(
          amount === FAILING_AMOUNT ? { kind: 'failed', reason: 'an unlucky number' } : { kind: 'succeeded' },
        ),
      );
  }
});
afterEach(async () => {
  await one.setClock(null);
  await one.settled();
  expect(await brokenInvariants(one)).toEqual({});
});
afterAll(async () => {
  jest.restoreAllMocks();
  await other.close();
  await one.close();
});

type Paid = Answer<PaymentAnswer & { details?: Record<string, unknown> }>;

const either = (i: number): TestService => (i % 2 === 0 ? one : other);
const guard = async ({ id, owner }: CreatedWallet, minutes: number | null, service = one): Promise<void> => {
  expectStatus(
    200,
    await service.call('PATCH', `/api/wallets/${id}`, {
      token: owner.token,
      body: { duplicateGuardMinutes: minutes },
    }),
  );
};
const guarded = async (minutes = 10): Promise<CreatedWallet> => {
  const wallet = await one.fundedWallet(1_000_000);
  await guard(wallet, minutes);
  return wallet;
};
const pay = (
  key: string,
  fields: object = {},
  service = one,
  headers?: Record<string, string>,
): Promise<Paid> => service.pay(key, fields as Record<string, unknown>, headers);
const idOf = ({ body, status }: Paid) =>
  status === 201 ? body.data.transaction.id : `not paid: ${body.code}`;
const outcome = ({ status, body }: Paid) =>
  status === 201 ? 'approved' : `${status} ${body.code} ${String(body.details?.['duplicateOf'])}`;
const duplicateOf = (paid: Paid) => `409 POSSIBLE_DUPLICATE ${idOf(paid)}`;
const atOnce = (count: number, work: (i: number) => Promise<Paid>): Promise<Paid[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)));
const approvedOf = (answers: readonly Paid[]) => answers.filter(({ status }) => status === 201);

describe('the duplicate-purchase guard', () => {
  it('is off unless the owner asks for it, and shown where it is on', async () => {
    const wallet = await one.fundedWallet(1_000_000);
    const shown = async () => {
      const { body } = await one.get<{ data: { wallet: object } }>(`/api/wallets/${wallet.id}`, {
        token: wallet.owner.token,
      });
      return body.data.wallet;
    };
    expect(approvedOf(await atOnce(5, (i) => pay(wallet.key, {}, either(i))))).toHaveLength(5);
    expect(Object.keys(await shown())).not.toContain('duplicateGuardMinutes');
    expect(await one.query('SELECT 1 FROM recent_purchases WHERE wallet_id = $1', [wallet.id])).toEqual([]);
    await guard(wallet, 5);
    expect(await shown()).toMatchObject({ duplicateGuardMinutes: 5 });
    await guard(wallet, null);
    expect(Object.keys(await shown())).not.toContain('duplicateGuardMinutes');
    expect((await pay(wallet.key, {}, other)).status).toBe(201);
    const { body } = await one.get<{ data: { before: object; after: object }[] }>(
      `/api/wallets/${wallet.id}/changes`,
      { token: wallet.owner.token },
    );
    expect(body.data.map(({ before, after }) => [before, after])).toEqual([
      [{ duplicateGuardMinutes: 5 }, { duplicateGuardMinutes: null }],
      [{ duplicateGuardMinutes: null }, { duplicateGuardMinutes: 5 }],
    ]);
  });

  it.each([-1, 1_441, 1.5, '10'])('takes whole minutes of a day, not %s', async (minutes) => {
    const wallet = await one.createWallet();
    const { status } = await one.call('PATCH', `/api/wallets/${wallet.id}`, {
      token: wallet.owner.token,
      body: { duplicateGuardMinutes: minutes },
    });
    expect(status).toBe(400);
  });

  it('refuses the same again under another idempotency key or none, and stores the attempt', async () => {
    const wallet = await guarded();
    const first = await pay(wallet.key, {}, one, { 'idempotency-key': 'a' });
    const answers = [
      await pay(wallet.key),
      await pay(wallet.key, {}, other, { 'idempotency-key': 'b' }),
      await pay(wallet.key, { merchantName: 'Somebody Else', reason: 'another try' }, other),
    ];
    expect(answers.map(outcome)).toEqual([duplicateOf(first), duplicateOf(first), duplicateOf(first)]);
    expect(answers[0]?.body.message).toContain(idOf(first));
    const rows = (await one.history(wallet)).data;
    expect(rows.map(({ id, blockReason }) => [id, blockReason])).toEqual([
      ...answers.map(({ body }) => [body.transactionId, 'POSSIBLE_DUPLICATE']).reverse(),
      [idOf(first), null],
    ]);
    expect(rows[0]?.auditEvents.at(-1)).toMatchObject({
      type: 'check.failed',
      detail: { check: 'POSSIBLE_DUPLICATE', duplicateOf: idOf(first) },
    });
    expect((await one.stats(wallet)).balance).toBe(999_000);
  });

  it('answers the same again to the idempotency keys it knows', async () => {
    const wallet = await guarded();
    const ask = (idempotencyKey: string, service: TestService) =>
      pay(wallet.key, {}, service, { 'idempotency-key': idempotencyKey });
    const first = await ask('a', one);
    const blocked = await ask('b', one);
    expect([outcome(first), outcome(blocked)]).toEqual(['approved', duplicateOf(first)]);
    expect((await ask('a', other)).text).toBe(first.text);
    const { code, message, transactionId } = blocked.body;
    expect((await ask('b', other)).body).toMatchObject({ code, message, transactionId, replayed: true });
    expect((await one.history(wallet)).pagination.totalCount).toBe(2);
  });

  it('lets another amount, another account, another bank and another key pass', async () => {
    const wallet = await guarded();
    const { body } = await one.post<{ data: { apiKey: { fullKey: string } } }>(
      `/api/wallets/${wallet.id}/keys`,
      {
        token: wallet.owner.token,
        body: { name: 'another' },
      },
    );
    const outcomes = [
      await pay(wallet.key),
      await pay(wallet.key, { amount: 1_001 }, other),
      await pay(wallet.key, { recipientAccountNo: '0123456788' }),
      await pay(wallet.key, { recipientBankCode: '044' }, other),
      await pay(body.data.apiKey.fullKey),
    ].map(outcome);
    expect(outcomes).toEqual(Array(5).fill('approved'));
  });

  it('looks back so many minutes, to the millisecond', async () => {
    const wallet = await guarded(2);
    const start = Date.now() + MINUTE_MS;
    await one.setClock(new Date(start));
    const first = await pay(wallet.key);
    await one.setClock(new Date(start + 2 * MINUTE_MS - 1));
    expect(outcome(await pay(wallet.key, {}, other))).toBe(duplicateOf(first));
    await one.setClock(new Date(start + 2 * MINUTE_MS));
    const second = await pay(wallet.key, {}, other);
    expect(outcome(second)).toBe('approved');
    expect(outcome(await pay(wallet.key))).toBe(duplicateOf(second));
  });

  it('knows from its first payment on what was paid before it was switched on or looked back further', async () => {
    const start = Date.now();
    await one.setClock(new Date(start));
    const wallet = await one.fundedWallet(1_000_000);
    await one.setClock(new Date(start + MINUTE_MS));
    const early = await pay(wallet.key, { amount: 500 });
    await one.setClock(new Date(start + 4 * MINUTE_MS));
    const late = await pay(wallet.key);
    await one.setClock(new Date(start + 5 * MINUTE_MS));
    await guard(wallet, 2, other);
    expect(outcome(await pay(wallet.key))).toBe(duplicateOf(late));
    await guard(wallet, 5, other);
    expect(outcome(await pay(wallet.key, { amount: 500 }))).toBe(duplicateOf(early));
    await guard(wallet, 0);
    expect(outcome(await pay(wallet.key, {}, other))).toBe('approved');
  });

  it('holds for a request that asks for it, unless the owner chose', async () => {
    const wallet = await one.fundedWallet(1_000_000);
    const ask = (service: TestService) => pay(wallet.key, {}, service, { 'duplicate-guard-minutes': '10' });
    const first = await ask(one);
    expect(outcome(await ask(other))).toBe(duplicateOf(first));
    expect((await pay(wallet.key, {}, other)).status).toBe(201);
    await guard(wallet, 0);
    expect((await ask(one)).status).toBe(201);
  });

  it('takes from a request a minute to a day, and refuses less and more', async () => {
    const wallet = await one.fundedWallet(1_000_000);
    const ask = (minutes: string) => pay(wallet.key, {}, one, { 'duplicate-guard-minutes': minutes });
    for (const minutes of ['0', '1441', '01', '1.5', '-1', '']) {
      const { status, body } = await ask(minutes);
      expect([minutes, status, body.errors?.[0]?.field]).toEqual([minutes, 400, 'Duplicate-Guard-Minutes']);
    }
    const first = await ask('1440');
    expect(first.status).toBe(201);
    for (const minutes of ['1', '1440']) expect(outcome(await ask(minutes))).toBe(duplicateOf(first));
  });

  it('counts no payment that was blocked or refunded as the first', async () => {
    const wallet = await guarded();
    expect((await pay(wallet.key, { amount: 100_001 })).body.code).toBe('SPEND_LIMIT_PER_TX_EXCEEDED');
    await one.call('PATCH', `/api/wallets/${wallet.id}`, {
      token: wallet.owner.token,
      body: { spendLimitPerTx: 200_000 },
    });
    expect(outcome(await pay(wallet.key, { amount: 100_001 }, other))).toBe('approved');
    expect(outcome(await pay(wallet.key, { amount: FAILING_AMOUNT }))).toBe('approved');
    await one.settled();
    const again = await pay(wallet.key, { amount: FAILING_AMOUNT }, other);
    expect(outcome(again)).toBe('approved');
  });

  it('forgets what is older than any guard looks back, and nothing else', async () => {
    const wallet = await guarded(1_440);
    const start = Date.now();
    await one.setClock(new Date(start));
    await pay(wallet.key);
    await one.setClock(new Date(start + 1_440 * MINUTE_MS));
    await pay(wallet.key, { amount: 2_000 });
    const store = one.app.get(RecentPurchasesStore, { strict: false });
    await store.forget();
    const kept = () =>
      one.query<{ amount: string }>(
        'SELECT amount::text FROM recent_purchases WHERE wallet_id = $1 ORDER BY amount',
        [wallet.id],
      );
    expect((await kept()).map(({ amount }) => amount)).toEqual(['1000', '2000']);
    await one.setClock(new Date(start + 1_440 * MINUTE_MS + 1_000));
    await store.forget();
    expect((await kept()).map(({ amount }) => amount)).toEqual(['2000']);
  });
});

describe('a second purchase that is wanted', () => {
  it('is paid once when it names the first', async () => {
    const wallet = await guarded();
    const first = await pay(wallet.key);
    const again = (named: string, service: TestService) =>
      pay(wallet.key, { confirmSecondPurchase: named }, service);
    expect(outcome(await again(randomUUID(), one))).toBe(duplicateOf(first));
    const answers = await atOnce(50, (i) => again(idOf(first), either(i)));
    const [second, ...more] = approvedOf(answers);
    expect(more).toEqual([]);
    expect(new Set(answers.filter(({ status }) => status !== 201).map(outcome))).toEqual(
      new Set([duplicateOf(second!)]),
    );
    expect(outcome(await again(idOf(second!), other))).toBe('approved');
    expect((await one.stats(wallet)).balance).toBe(997_000);
  });

  it('is part of what an idempotency key stands for, where it is named', async () => {
    const wallet = await guarded();
    const first = await pay(wallet.key, {}, one, { 'idempotency-key': 'a' });
    const named = { confirmSecondPurchase: idOf(first) };
    expect((await pay(wallet.key, named, one, { 'idempotency-key': 'a' })).body.code).toBe(
      'IDEMPOTENCY_KEY_REUSED',
    );
    const second = await pay(wallet.key, named, one, { 'idempotency-key': 'b' });
    expect(outcome(second)).toBe('approved');
    expect((await pay(wallet.key, named, other, { 'idempotency-key': 'b' })).text).toBe(second.text);
    const absent = { confirmSecondPurchase: null };
    expect((await pay(wallet.key, absent, other, { 'idempotency-key': 'a' })).text).toBe(first.text);
    const malformed = await pay(wallet.key, { confirmSecondPurchase: 'yes' });
    expect([malformed.status, malformed.body.code]).toEqual([400, 'VALIDATION_ERROR']);
  });
});

describe('fifty of the same at once through two replicas', () => {
  it('are one purchase, whether each has a key of its own or none', async () => {
    const wallet = await guarded();
    const answers = await atOnce(50, (i) =>
      pay(wallet.key, {}, either(i), i % 3 === 0 ? undefined : { 'idempotency-key': randomUUID() }),
    );
    const [first, ...more] = approvedOf(answers);
    expect(more).toEqual([]);
    expect(new Set(answers.filter(({ status }) => status !== 201).map(outcome))).toEqual(
      new Set([duplicateOf(first!)]),
    );
    expect((await one.stats(wallet)).balance).toBe(999_000);
  });

  it('are one purchase from the very next payment after the guard is switched on elsewhere', async () => {
    const wallet = await one.fundedWallet(1_000_000);
    await pay(wallet.key, { amount: 1 }, other);
    await guard(wallet, 10, one);
    expect(approvedOf(await atOnce(50, (i) => pay(wallet.key, {}, i % 5 === 0 ? one : other)))).toHaveLength(
      1,
    );
  });
});
