import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Bank } from '../../src/contexts/bank/bank.port.js';
import { brokenInvariants } from '../support/invariants.js';
import { Receiver } from '../support/receiver.js';
import {
  type Answer,
  type CreatedWallet,
  expectStatus,
  FAR_AHEAD,
  type PaymentAnswer,
  startService,
  type TestService,
} from '../support/service.js';

/** The bank fails payments of this amount, once it is allowed to speak. */
const FAILING_AMOUNT = 777;
const DAY_MS = 24 * 3_600_000;

let one: TestService;
let other: TestService;
let mayAnswer: Promise<unknown> = Promise.resolve();
beforeAll(async () => {
  one = await startService({ clock: true });
  other = await startService({ beside: one });
  for (const { app } of [one, other]) {
    jest.spyOn(app.get(Bank, { strict: false }), 'startPayout').mockImplementation(async ({ amount }) => {
      await mayAnswer;
      return amount === FAILING_AMOUNT
        ? { kind: 'failed', reason: 'an unlucky number' }
        : { kind: 'succeeded' };
    });
  }
});
afterEach(async () => {
  mayAnswer = Promise.resolve();
  await one.setClock(null);
  await one.settled();
  expect(await brokenInvariants(one)).toEqual({});
});
afterAll(async () => {
  jest.restoreAllMocks();
  await other.close();
  await one.close();
});

interface Key {
  readonly id: string;
  readonly fullKey: string;
  readonly purpose?: string;
  readonly limits?: Record<string, unknown>;
  readonly left?: Record<string, number>;
}
interface KeyBody {
  readonly data: { readonly apiKey: Key };
  readonly error: { readonly code: string; readonly errors?: readonly { readonly field: string }[] };
}
type Paid = Answer<PaymentAnswer & { details?: Record<string, unknown> }>;

const either = (i: number): TestService => (i % 2 === 0 ? one : other);
const create = ({ id, owner }: CreatedWallet, fields: object): Promise<Answer<KeyBody>> =>
  one.post<KeyBody>(`/api/wallets/${id}/keys`, { token: owner.token, body: { name: 'child', ...fields } });
const child = async (wallet: CreatedWallet, limits: object, fields: object = {}): Promise<Key> =>
  expectStatus(201, await create(wallet, { limits, ...fields })).body.data.apiKey;
const keyOf = async ({ id, owner }: CreatedWallet, keyId: string, service = one): Promise<Key> => {
  const { body } = await service.get<{ data: Key[] }>(`/api/wallets/${id}/keys`, { token: owner.token });
  return body.data.find((key) => key.id === keyId)!;
};
const leftOf = async (wallet: CreatedWallet, { id }: Key) => (await keyOf(wallet, id)).left;
const pay = (key: Key, fields: object = {}, service = one): Promise<Paid> =>
  service.pay(key.fullKey, fields as Record<string, unknown>);
const outcome = ({ status, body }: Paid) =>
  status === 201 ? 'approved' : `${status} ${body.code} ${String(body.details?.['keyLimit'])}`;
const atOnce = (count: number, work: (i: number) => Promise<Paid>): Promise<Paid[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)));
const approvedOf = (answers: readonly Paid[]) => answers.filter(({ status }) => status === 201);

describe('a key with limits', () => {
  it('is shown with them, what they leave and what it is for; one without any as before', async () => {
    const wallet = await one.fundedWallet(100_000);
    const limits = { totalCap: 5_000, maxPayments: 3, spendLimitPeriod: 4_000 };
    const key = await child(wallet, limits, { purpose: 'Groceries' });
    const shown = {
      purpose: 'Groceries',
      limits: { ...limits, periodWindowDays: 30 },
      left: { spendLimitPeriod: 4_000, totalCap: 5_000, maxPayments: 3 },
    };
    expect(key).toMatchObject(shown);
    expect(outcome(await pay(key, { amount: 1_500 }))).toBe('approved');
    const left = { spendLimitPeriod: 2_500, totalCap: 3_500, maxPayments: 2 };
    expect(await keyOf(wallet, key.id, other)).toMatchObject({ ...shown, left });
    const { fullKey: _, ...plain } = expectStatus(201, await create(wallet, {})).body.data.apiKey;
    expect(Object.keys(plain)).not.toEqual(expect.arrayContaining(['limits']));
    expect(Object.keys(await keyOf(wallet, plain.id))).toEqual(Object.keys(plain));
    const { body } = await one.get<{ data: { action: string; after: object }[] }>(
      `/api/wallets/${wallet.id}/changes`,
      { token: wallet.owner.token },
    );
    expect(body.data[1]).toMatchObject({
      action: 'key.created',
      after: { keyId: key.id, purpose: 'Groceries', limits: shown.limits },
    });
  });

  it.each([
    ['spendLimitPerTx', { spendLimitPerTx: 100_001 }],
    ['spendLimitPeriod', { spendLimitPeriod: 1_000_001 }],
    ['allowedMerchants', { allowedMerchants: ['Other'] }],
    ['expiry', { expiry: '2099-01-01T00:00:00.001Z' }],
    ['totalCap', { totalCap: 0 }],
    ['maxPayments', { maxPayments: 1.5 }],
    ['payee.bankCode', { payee: { accountNumber: '0123456789', bankCode: '58' } }],
  ])('can only narrow what the wallet allows: %s', async (field, limits) => {
    const wallet = await one.createWallet(undefined, { useAllowlist: true, merchantAllowlist: ['Acme'] });
    const { status, body } = await create(wallet, { limits });
    expect([status, body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(body.error.errors?.map((error) => error.field)).toEqual([`limits.${field}`]);
    expect(await one.query('SELECT 1 FROM api_key_usage WHERE wallet_id = $1', [wallet.id])).toEqual([]);
  });

  it.each([
    ['spendLimitPerTx', { spendLimitPerTx: 999 }, {}],
    ['spendLimitPeriod', { spendLimitPeriod: 999 }, {}],
    ['totalCap', { totalCap: 999 }, {}],
    ['allowedMerchants', { allowedMerchants: ['Jumia', 'Acme'] }, {}],
    ['payee', { payee: { accountNumber: '0123456789', bankCode: '044' } }, {}],
  ])('is blocked by its %s, which the answer and the record name', async (keyLimit, limits, fields) => {
    const wallet = await one.fundedWallet(100_000);
    const key = await child(wallet, limits);
    const blocked = await pay(key, fields);
    expect(outcome(blocked)).toBe(`403 KEY_LIMIT_EXCEEDED ${keyLimit}`);
    expect(blocked.body.message).toContain(keyLimit);
    const [row] = (await one.history(wallet)).data;
    expect(row).toMatchObject({ id: blocked.body.transactionId, blockReason: 'KEY_LIMIT_EXCEEDED' });
    expect(row?.auditEvents.at(-1)).toMatchObject({
      type: 'check.failed',
      detail: { check: 'KEY_LIMIT_EXCEEDED', ...blocked.body.details },
    });
    expect((await one.stats(wallet)).balance).toBe(100_000);
    expect(outcome(await pay({ ...key, fullKey: wallet.key }, fields))).toBe('approved');
  });

  it('pays up to each limit, and no kobo and no time more', async () => {
    const wallet = await one.fundedWallet(100_000);
    const key = await child(wallet, { totalCap: 3_000, maxPayments: 3 });
    const amounts = [1_000, 2_001, 1_500, 500, 1];
    const outcomes: string[] = [];
    for (const [i, amount] of amounts.entries())
      outcomes.push(outcome(await pay(key, { amount }, either(i))));
    expect(outcomes).toEqual([
      'approved',
      '403 KEY_LIMIT_EXCEEDED totalCap',
      'approved',
      'approved',
      '403 KEY_LIMIT_EXCEEDED totalCap',
    ]);
    const counted = await child(wallet, { maxPayments: 1 });
    expect(outcome(await pay(counted))).toBe('approved');
    expect(outcome(await pay(counted, {}, other))).toBe('403 KEY_LIMIT_EXCEEDED maxPayments');
  });

  it('is held by the rules of the wallet that were narrowed after it was made', async () => {
    const wallet = await one.fundedWallet(100_000);
    const key = await child(wallet, { spendLimitPerTx: 50_000 });
    expectStatus(
      200,
      await one.call('PATCH', `/api/wallets/${wallet.id}`, {
        token: wallet.owner.token,
        body: { spendLimitPerTx: 900 },
      }),
    );
    expect((await pay(key, {}, other)).body.code).toBe('SPEND_LIMIT_PER_TX_EXCEEDED');
  });

  it('counts its period in days of exactly 24 hours, which roll', async () => {
    const start = Date.parse('2026-03-01T00:00:00.000Z');
    await one.setClock(new Date(start));
    const wallet = await one.fundedWallet(100_000);
    const key = await child(wallet, { spendLimitPeriod: 2_000, periodWindowDays: 2 });
    // A wallet's changes are a little ahead of a clock that stands still.
    const first = start + 1_000;
    const payAt = async (ms: number, amount: number, service = one) => {
      await one.setClock(new Date(first + ms));
      return outcome(await pay(key, { amount }, service));
    };
    // Those of one millisecond leave together.
    expect([await payAt(0, 900), await payAt(0, 600, other)]).toEqual(['approved', 'approved']);
    expect(await payAt(DAY_MS, 500, other)).toBe('approved');
    expect(await payAt(2 * DAY_MS - 1, 1)).toBe('403 KEY_LIMIT_EXCEEDED spendLimitPeriod');
    expect(await payAt(2 * DAY_MS, 1_501, other)).toBe('403 KEY_LIMIT_EXCEEDED spendLimitPeriod');
    expect(await payAt(2 * DAY_MS, 1_500)).toBe('approved');
    expect(await payAt(3 * DAY_MS, 501)).toBe('403 KEY_LIMIT_EXCEEDED spendLimitPeriod');
    expect(await payAt(3 * DAY_MS, 500)).toBe('approved');
  });

  it('ends at the expiry of its limits, of which the agent is told', async () => {
    const wallet = await one.fundedWallet(100_000);
    const start = Date.now() + DAY_MS;
    const key = await child(wallet, { expiry: new Date(start).toISOString() });
    await one.setClock(new Date(start - 1));
    expect(outcome(await pay(key))).toBe('approved');
    await one.setClock(new Date(start));
    expect(outcome(await pay(key, {}, other))).toBe('403 KEY_LIMIT_EXCEEDED expiry');
  });
});

describe('fifty payments at once through two replicas', () => {
  it.each([
    ['maxPayments', { maxPayments: 7 }, 7],
    ['totalCap', { totalCap: 7_999 }, 7],
    ['spendLimitPeriod', { spendLimitPeriod: 7_000, periodWindowDays: 1 }, 7],
  ])('are approved up to the %s of their key', async (keyLimit, limits, approved) => {
    const wallet = await one.fundedWallet(1_000_000);
    const key = await child(wallet, limits);
    const answers = await atOnce(50, (i) => pay(key, {}, either(i)));
    const blocked = answers.filter(({ status }) => status !== 201).map(outcome);
    expect(approvedOf(answers)).toHaveLength(approved);
    expect(new Set(blocked)).toEqual(new Set([`403 KEY_LIMIT_EXCEEDED ${keyLimit}`]));
    expect((await one.stats(wallet)).balance).toBe(1_000_000 - approved * 1_000);
  });

  it('of two keys with the full cap each spend no more than the wallet may', async () => {
    const wallet = await one.fundedWallet(1_000_000, { spendLimitPeriod: 20_000, spendLimitPerTx: 20_000 });
    const keys = [
      await child(wallet, { spendLimitPeriod: 20_000 }),
      await child(wallet, { spendLimitPeriod: 20_000 }),
    ];
    const answers = await atOnce(50, (i) => pay(keys[i % 4 < 2 ? 0 : 1]!, {}, either(i)));
    expect(approvedOf(answers)).toHaveLength(20);
    expect((await one.stats(wallet)).remainingAllowance).toBe(0);
    const left = await Promise.all(keys.map((key) => leftOf(wallet, key)));
    expect(left.reduce((sum, each) => sum + each!['spendLimitPeriod']!, 0)).toBe(20_000);
  });

  it('of several keys each keep to the limits of its own', async () => {
    const wallet = await one.fundedWallet(1_000_000);
    const keys = [await child(wallet, { maxPayments: 3 }), await child(wallet, { totalCap: 5_500 })];
    const plain = { ...keys[0]!, fullKey: wallet.key };
    const answers = await atOnce(48, (i) => pay([...keys, plain][i % 3]!, {}, either(Math.floor(i / 3))));
    expect([0, 1, 2].map((nr) => approvedOf(answers.filter((_, i) => i % 3 === nr)).length)).toEqual([
      3, 5, 16,
    ]);
  });
});

describe('a payment that the bank does not pay', () => {
  it('gives the limits back what it took of them, once', async () => {
    const wallet = await one.fundedWallet(1_000_000);
    const key = await child(wallet, {
      totalCap: 10 * FAILING_AMOUNT,
      maxPayments: 10,
      spendLimitPeriod: 7_770,
    });
    let speak = (_: unknown): void => undefined;
    mayAnswer = new Promise((resolve) => (speak = resolve));
    const answers = await atOnce(20, (i) => pay(key, { amount: FAILING_AMOUNT }, either(i)));
    expect(approvedOf(answers)).toHaveLength(10);
    expect(await leftOf(wallet, key)).toEqual({ totalCap: 0, maxPayments: 0, spendLimitPeriod: 0 });
    speak(undefined);
    await one.settled();
    expect(await leftOf(wallet, key)).toEqual({ totalCap: 7_770, maxPayments: 10, spendLimitPeriod: 7_770 });
    expect((await one.stats(wallet)).balance).toBe(1_000_000);
    const again = await atOnce(20, (i) => pay(key, { amount: 776 }, either(i)));
    expect(approvedOf(again)).toHaveLength(10);
    expect(await leftOf(wallet, key)).toEqual({ totalCap: 10, maxPayments: 0, spendLimitPeriod: 10 });
  });

  it('gives nothing back to a period that it has left, to the millisecond', async () => {
    const start = Date.parse('2026-03-01T00:00:00.000Z');
    await one.setClock(new Date(start));
    const wallet = await one.fundedWallet(100_000);
    await one.query(`UPDATE sessions SET expires_at = '${FAR_AHEAD}'`);
    const key = await child(wallet, { spendLimitPeriod: 2_000, periodWindowDays: 1 });
    const first = start + 1_000;
    for (const [ms, amount] of [
      [0, FAILING_AMOUNT],
      [1, 10],
    ] as const) {
      await one.setClock(new Date(first + ms));
      expect(outcome(await pay(key, { amount }))).toBe('approved');
    }
    await one.settled();
    const left: unknown[] = [];
    for (const ms of [-1, 0, 1]) {
      await one.setClock(new Date(first + DAY_MS + ms));
      left.push((await leftOf(wallet, key))?.['spendLimitPeriod']);
    }
    expect(left).toEqual([1_990, 1_990, 2_000]);
    await one.setClock(new Date(first + DAY_MS));
    expect(outcome(await pay(key, { amount: 1_991 }))).toBe('403 KEY_LIMIT_EXCEEDED spendLimitPeriod');
  });

  it('gives nothing to the limits of another key', async () => {
    const wallet = await one.fundedWallet(1_000_000);
    const [key, sibling] = [await child(wallet, { maxPayments: 2 }), await child(wallet, { maxPayments: 2 })];
    for (const each of [key, sibling]) expect(outcome(await pay(each))).toBe('approved');
    expect(outcome(await pay({ ...key, fullKey: wallet.key }, { amount: FAILING_AMOUNT }))).toBe('approved');
    expect(outcome(await pay(key, { amount: FAILING_AMOUNT }))).toBe('approved');
    await one.settled();
    expect(await Promise.all([leftOf(wallet, key), leftOf(wallet, sibling)])).toEqual([
      { maxPayments: 1 },
      { maxPayments: 1 },
    ]);
  });
});

describe('an idempotency key with a key that has limits', () => {
  it('answers the same again, blocked or approved, and counts once', async () => {
    const wallet = await one.fundedWallet(100_000);
    const key = await child(wallet, { maxPayments: 1 });
    const ask = (idempotencyKey: string, service: TestService) =>
      service.pay(key.fullKey, {}, { 'idempotency-key': idempotencyKey });
    const first = await atOnce(10, (i) => ask('first', either(i)));
    expect(new Set(first.map(({ text }) => text)).size).toBe(1);
    const blocked = await atOnce(10, (i) => ask('second', either(i)));
    expect(blocked.filter(({ body }) => (body as { replayed?: boolean }).replayed === true)).toHaveLength(9);
    expect(new Set(blocked.map(({ body }) => `${body.message} ${body.transactionId}`)).size).toBe(1);
    expect(outcome(blocked[0]!)).toBe('403 KEY_LIMIT_EXCEEDED maxPayments');
    expect((await one.history(wallet)).pagination.totalCount).toBe(2);
    expect(await leftOf(wallet, key)).toEqual({ maxPayments: 0 });
  });
});

describe('the purpose of a key', () => {
  it('stands in its payments, in their webhooks and in the ledger; without one nothing does', async () => {
    const receiver = await Receiver.start();
    const wallet = await one.fundedWallet(100_000);
    const { token } = wallet.owner;
    expectStatus(
      201,
      await one.post('/v1/webhook-endpoints', {
        token,
        body: { url: receiver.url('/hook'), events: ['payment.approved', 'payment.blocked'] },
      }),
    );
    const { apiKey: key } = expectStatus(201, await create(wallet, { purpose: 'Groceries' })).body.data;
    const paid = await pay(key, { amount: FAILING_AMOUNT });
    expect(paid.body.data.transaction).toMatchObject({ purpose: 'Groceries' });
    await pay(key, { amount: 100_001 });
    const plain = await one.pay(wallet.key);
    await one.settled();
    expect(
      (await one.history(wallet)).data.map((row) => [row.amount, 'purpose' in row && row.purpose]),
    ).toEqual([
      [1_000, false],
      [100_001, 'Groceries'],
      [FAILING_AMOUNT, 'Groceries'],
    ]);
    expect('purpose' in plain.body.data.transaction).toBe(false);
    const rows = (await one.ledger(wallet)).data.map((row) => [
      row.type,
      row.amount,
      'purpose' in row && row.purpose,
    ]);
    expect(rows.sort()).toEqual(
      [
        ['debit', 1_000, false],
        ['debit', FAILING_AMOUNT, 'Groceries'],
        ['refund', FAILING_AMOUNT, 'Groceries'],
        ['topup', 100_000, false],
      ].sort(),
    );
    const deliveries = await one.query<{ event: string; purpose: string | null }>(
      `SELECT body::json->>'event' AS event, body::json->'data'->>'purpose' AS purpose FROM webhook_deliveries
        WHERE wallet_id = $1 AND body::json->>'event' IN ('payment.approved', 'payment.blocked') ORDER BY event, purpose`,
      [wallet.id],
    );
    expect(deliveries).toEqual([
      { event: 'payment.approved', purpose: 'Groceries' },
      { event: 'payment.approved', purpose: null },
      { event: 'payment.blocked', purpose: 'Groceries' },
    ]);
    await receiver.close();
  });
});

describe('a wallet without any of it', () => {
  it('stores what it did: no fact more, and no row of a key', async () => {
    const wallet = await one.fundedWallet(10_000);
    await one.pay(wallet.key);
    const [row] = await one.query<{ facts: object; purpose: null }>(
      'SELECT facts, purpose FROM transactions WHERE wallet_id = $1',
      [wallet.id],
    );
    expect(Object.keys(row!.facts).sort()).toEqual(
      [
        'status',
        'expiry',
        'now',
        'spendLimitPerTx',
        'spendLimitPeriod',
        'periodWindowDays',
        'spent',
        'balance',
        'useAllowlist',
        'onAllowlist',
      ].sort(),
    );
    expect(row!.purpose).toBeNull();
    expect(await one.query('SELECT 1 FROM api_key_payments WHERE wallet_id = $1', [wallet.id])).toEqual([]);
  });
});
