import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { KeyUsageStore } from '../../src/contexts/wallet/keys/key-usage.store.js';
import { brokenInvariants } from '../support/invariants.js';
import {
  type CreatedWallet,
  expectStatus,
  paymentBody,
  startService,
  type TestService,
  UNKNOWN_KEY,
  until,
} from '../support/service.js';

interface Advice {
  readonly maxAmountNow: number;
  readonly earliestPassAt: string | null;
  readonly hint: string | null;
}
interface Quote extends Advice {
  readonly decision: string;
  readonly blockReason: string | null;
  readonly message: string | null;
  readonly checks: readonly {
    readonly check: string;
    readonly passed: boolean;
    readonly compared: Record<string, unknown>;
  }[];
  readonly at: string;
  readonly balanceAfter: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** 13:05:00 in Lagos. */
const START = Date.parse('2027-03-01T12:05:00.000Z');
/** The sandbox refuses every transfer to it. */
const REFUSED_ACCOUNT = '9000000001';

let service: TestService;
beforeAll(async () => {
  service = await startService({ clock: true });
});
afterEach(() => service.setClock(null));
afterAll(async () => {
  const broken = await brokenInvariants(service);
  await service.close();
  expect(broken).toEqual({});
});

const at = (ms: number) => service.setClock(new Date(START + ms));
const iso = (ms: number) => new Date(START + ms).toISOString();
const ask = (key: string, fields: Record<string, unknown> = {}) =>
  service.post<{ data: Quote; code: string }>('/api/payment-intent/quote', {
    key,
    body: paymentBody(fields),
  });
const quote = async ({ key }: CreatedWallet, fields: Record<string, unknown> = {}): Promise<Quote> =>
  expectStatus(200, await ask(key, fields)).body.data;
const pay = (wallet: CreatedWallet, fields: Record<string, unknown> = {}, headers?: Record<string, string>) =>
  service.pay(wallet.key, fields, headers);

describe('a quote', () => {
  it('is refused in another currency than naira', async () => {
    const wallet = await service.fundedWallet(5_000);
    expect((await quote(wallet, { currency: 'NGN' })).decision).toBe('approved');
    const { status, body } = await ask(wallet.key, { currency: 'USD' });
    expect([status, body]).toEqual([
      400,
      expect.objectContaining({ errors: [{ field: 'currency', message: 'must be NGN' }] }),
    ]);
  });

  it('answers every check with what it compared, and what the wallet would have', async () => {
    const wallet = await service.fundedWallet(5_000, {
      useAllowlist: true,
      merchantAllowlist: ['Acme Stores'],
    });
    await pay(wallet, { amount: 500 });
    const { at: now, ...rest } = await quote(wallet, { amount: 1_200 });
    expect(rest).toEqual({
      decision: 'approved',
      blockReason: null,
      message: null,
      checks: [
        { check: 'WALLET_INACTIVE', passed: true, compared: { limit: 'ACTIVE', actual: 'ACTIVE' } },
        { check: 'WALLET_EXPIRED', passed: true, compared: { limit: wallet.expiry, actual: now } },
        { check: 'SPEND_LIMIT_PER_TX_EXCEEDED', passed: true, compared: { limit: 100_000, actual: 1_200 } },
        {
          check: 'SPEND_LIMIT_PER_PERIOD_EXCEEDED',
          passed: true,
          compared: { limit: 1_000_000, actual: 1_700 },
        },
        { check: 'MERCHANT_NOT_ALLOWED', passed: true, compared: { actual: 'acme stores' } },
        { check: 'INSUFFICIENT_FUNDS', passed: true, compared: { limit: 4_500, actual: 1_200 } },
      ],
      balanceAfter: 3_300,
      maxAmountNow: 4_500,
      earliestPassAt: null,
      hint: null,
    });
  });

  it('goes on behind the first check that fails', async () => {
    const wallet = await service.fundedWallet(500, { useAllowlist: true, merchantAllowlist: ['Jumia'] });
    const { decision, blockReason, checks, balanceAfter } = await quote(wallet, { amount: 100_001 });
    expect([decision, blockReason, balanceAfter]).toEqual(['blocked', 'SPEND_LIMIT_PER_TX_EXCEEDED', 500]);
    expect(checks.filter(({ passed }) => !passed).map(({ check }) => check)).toEqual([
      'SPEND_LIMIT_PER_TX_EXCEEDED',
      'MERCHANT_NOT_ALLOWED',
      'INSUFFICIENT_FUNDS',
    ]);
  });

  it('stores nothing, whatever it answers, not even that the key was used', async () => {
    const wallet = await service.fundedWallet(5_000);
    const tables = await service.query<{ name: string }>(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'rate_limits'`,
    );
    const rows = async () => {
      const of = async ({ name }: { name: string }) => [
        name,
        await service.query(`SELECT t::text FROM "${name}" t`),
      ];
      return Object.fromEntries(await Promise.all(tables.map(of))) as Record<string, unknown>;
    };
    // The payments of the tests before go on with the bank, and the use of their keys is noted later.
    await service.settled();
    const unnoted = 'SELECT FROM api_keys JOIN transactions USING (wallet_id) WHERE last_used_at IS NULL';
    await until(async () => (await service.query(unnoted)).length === 0);
    const before = await rows();
    for (const amount of [1, 5_000, 5_001, 100_001]) await quote(wallet, { amount });
    await ask(UNKNOWN_KEY);
    await service.app.get(KeyUsageStore).flush();
    expect(await rows()).toEqual(before);
  });

  it('waits for no lock, and holds none', async () => {
    const wallet = await service.fundedWallet(5_000);
    const other = new pg.Client({ connectionString: service.databaseUrl });
    await other.connect();
    await other.query('BEGIN');
    await other.query('SELECT 1 FROM wallets WHERE id = $1 FOR UPDATE', [wallet.id]);
    expect((await quote(wallet)).decision).toBe('approved');
    await other.query('ROLLBACK');
    await other.end();
  });

  it('is refused like a payment: for the key first, then for the body', async () => {
    const wallet = await service.createWallet();
    const codes = async (key: string | undefined, body: unknown) => {
      const { status, body: answer } = await service.post<{ success: boolean; code: string }>(
        '/api/payment-intent/quote',
        { key, body },
      );
      return [status, answer.success, answer.code];
    };
    expect(await codes(undefined, {})).toEqual([401, false, 'MISSING_API_KEY']);
    expect(await codes(UNKNOWN_KEY, {})).toEqual([401, false, 'INVALID_API_KEY']);
    expect(await codes(UNKNOWN_KEY, paymentBody())).toEqual([401, false, 'INVALID_API_KEY']);
    expect(await codes(wallet.key, paymentBody({ amount: 0 }))).toEqual([400, false, 'VALIDATION_ERROR']);
  });

  it('answers each of many at once for its own wallet', async () => {
    const wallets = await Promise.all([1_000, 2_000, 3_000].map((kobo) => service.fundedWallet(kobo)));
    const asked = Array.from({ length: 60 }, (_, i) => wallets[i % 3]!);
    const most = await Promise.all(asked.map(async (wallet) => (await quote(wallet)).maxAmountNow));
    expect(most).toEqual(asked.map((_, i) => 1_000 * ((i % 3) + 1)));
  });
});

describe('the most that passes now', () => {
  it.each([
    ['the limit of a payment', { spendLimitPerTx: 700 }, 5_000, 700],
    ['what the period leaves', { spendLimitPerTx: 900, spendLimitPeriod: 900 }, 5_000, 800],
    ['the balance', {}, 650, 550],
  ])('is %s: it passes, and a kobo more does not', async (_, rules, funds, most) => {
    const wallet = await service.fundedWallet(funds, rules);
    await pay(wallet, { amount: 100 });
    expect((await quote(wallet, { amount: 5 })).maxAmountNow).toBe(most);
    const more = await pay(wallet, { amount: most + 1 });
    expect([more.status >= 400, more.body.maxAmountNow]).toEqual([true, most]);
    expect((await pay(wallet, { amount: most })).status).toBe(201);
  });

  it('is nothing where no amount helps', async () => {
    const wallet = await service.fundedWallet(5_000, { useAllowlist: true, merchantAllowlist: ['Jumia'] });
    const { maxAmountNow, earliestPassAt, hint } = await quote(wallet);
    expect([maxAmountNow, earliestPassAt]).toEqual([0, null]);
    expect(hint).toBe(
      'Do not try again: the merchant is not on the allowlist, and only the owner can add it.',
    );
    await service.query(`UPDATE wallets SET status = 'SUSPENDED' WHERE id = $1`, [wallet.id]);
    expect((await quote(wallet, { merchantName: 'Jumia' })).maxAmountNow).toBe(0);
  });
});

describe('when a payment that the period blocks passes', () => {
  /** Spends 400, 300 and 200 kobo, an hour from each other, of the 1,000 that two days may take. */
  const spender = async (): Promise<CreatedWallet> => {
    await at(0);
    const wallet = await service.fundedWallet(100_000, {
      spendLimitPerTx: 1_000,
      spendLimitPeriod: 1_000,
      periodWindowDays: 2,
    });
    for (const [i, amount] of [400, 300, 200].entries()) {
      await at(i * HOUR_MS);
      expectStatus(201, await pay(wallet, { amount }));
    }
    await service.settled();
    return wallet;
  };

  it.each([
    [101, 0],
    [500, 0],
    [501, HOUR_MS],
    [800, HOUR_MS],
    [801, 2 * HOUR_MS],
    [1_000, 2 * HOUR_MS],
  ])('is told to the millisecond, for %d kobo', async (amount, leaves) => {
    const wallet = await spender();
    await at(3 * HOUR_MS);
    const { earliestPassAt, maxAmountNow } = await quote(wallet, { amount });
    expect([earliestPassAt, maxAmountNow]).toEqual([iso(2 * DAY_MS + leaves), 100]);
    await at(2 * DAY_MS + leaves - 1_000);
    const early = await pay(wallet, { amount });
    expect([early.body.code, early.body.earliestPassAt]).toEqual([
      'SPEND_LIMIT_PER_PERIOD_EXCEEDED',
      earliestPassAt,
    ]);
    await at(2 * DAY_MS + leaves - 1);
    expect((await quote(wallet, { amount })).decision).toBe('blocked');
    await at(2 * DAY_MS + leaves);
    expect((await quote(wallet, { amount })).decision).toBe('approved');
    expect((await pay(wallet, { amount })).status).toBe(201);
  });

  it('leaves out what was refunded, and counts together what was paid in the same millisecond', async () => {
    await at(0);
    const wallet = await service.fundedWallet(100_000, {
      spendLimitPerTx: 1_000,
      spendLimitPeriod: 1_000,
      periodWindowDays: 2,
    });
    const recipientAccountNo = REFUSED_ACCOUNT;
    await pay(wallet, { amount: 300, recipientAccountNo });
    await pay(wallet, { amount: 300 });
    await pay(wallet, { amount: 100 });
    await service.settled();
    await at(HOUR_MS);
    await pay(wallet, { amount: 90, recipientAccountNo });
    await pay(wallet, { amount: 500 });
    await pay(wallet, { amount: 10, recipientAccountNo });
    await service.settled();
    expect((await service.stats(wallet)).spentThisPeriod).toBe(900);
    expect((await quote(wallet, { amount: 500 })).earliestPassAt).toBe(iso(2 * DAY_MS));
    expect((await quote(wallet, { amount: 501 })).earliestPassAt).toBe(iso(2 * DAY_MS + HOUR_MS));
  });

  it('is told of the period of a key to the millisecond as well, without what was refunded', async () => {
    await at(0);
    const wallet = await service.fundedWallet(100_000);
    const limits = { spendLimitPeriod: 1_000, periodWindowDays: 2 };
    const made = await service.post<{ data: { apiKey: { fullKey: string } } }>(
      `/api/wallets/${wallet.id}/keys`,
      { token: wallet.owner.token, body: { name: 'limited', limits } },
    );
    const limited = { ...wallet, key: expectStatus(201, made).body.data.apiKey.fullKey };
    for (const [hour, amount, fields] of [
      [1, 400, {}],
      [2, 300, { recipientAccountNo: REFUSED_ACCOUNT }],
      [3, 300, {}],
      [4, 200, {}],
    ] as const) {
      await at(hour * HOUR_MS);
      expectStatus(201, await pay(limited, { amount, ...fields }));
      await service.settled();
    }
    for (const [amount, hour] of [
      [500, 1],
      [501, 3],
      [800, 3],
      [801, 4],
    ] as const) {
      const passesAt = 2 * DAY_MS + hour * HOUR_MS;
      await at(5 * HOUR_MS);
      expect([amount, (await quote(limited, { amount })).earliestPassAt]).toEqual([amount, iso(passesAt)]);
      await at(passesAt - 1);
      expect((await quote(limited, { amount })).blockReason).toBe('KEY_LIMIT_EXCEEDED');
      await at(passesAt);
      expect((await quote(limited, { amount })).blockReason).toBeNull();
    }
  });

  it('is never, for more than the period may take, after the expiry, or where another check fails too', async () => {
    const wallet = await spender();
    await at(3 * HOUR_MS);
    expect((await quote(wallet, { amount: 1_001 })).earliestPassAt).toBeNull();
    expect((await quote(wallet, { amount: 500 })).earliestPassAt).not.toBeNull();
    await service.query('UPDATE wallets SET balance = 499 WHERE id = $1', [wallet.id]);
    expect((await quote(wallet, { amount: 500 })).earliestPassAt).toBeNull();
    await service.query('UPDATE wallets SET balance = 99100, expiry = $2 WHERE id = $1', [
      wallet.id,
      iso(2 * DAY_MS),
    ]);
    expect((await quote(wallet, { amount: 500 })).earliestPassAt).toBeNull();
    await service.query('UPDATE wallets SET expiry = $2 WHERE id = $1', [wallet.id, iso(2 * DAY_MS + 1)]);
    expect((await quote(wallet, { amount: 500 })).earliestPassAt).toBe(iso(2 * DAY_MS));
  });

  it('is never where the key that asks has ended by then, and is where it ends a millisecond later', async () => {
    const wallet = await spender();
    const { token } = wallet.owner;
    const ending = async (ms: number) => {
      const made = await service.post<{ data: { apiKey: { fullKey: string } } }>(
        `/api/wallets/${wallet.id}/keys`,
        { token, body: { name: 'for a while', expiresAt: iso(ms) } },
      );
      return expectStatus(201, made).body.data.apiKey.fullKey;
    };
    await at(3 * HOUR_MS);
    for (const [endsAt, earliest] of [
      [2 * DAY_MS - 1, null],
      [2 * DAY_MS, null],
      [2 * DAY_MS + 1, iso(2 * DAY_MS)],
    ] as const) {
      const key = await ending(endsAt);
      const quoted = expectStatus(200, await ask(key, { amount: 500 })).body.data;
      expect([endsAt, quoted.earliestPassAt]).toEqual([endsAt, earliest]);
      const refused = await service.pay(key, { amount: 500 });
      expect([endsAt, refused.status, refused.body.earliestPassAt]).toEqual([endsAt, 403, earliest]);
    }
  });

  it('is said in a sentence, by a clock of Lagos', async () => {
    const wallet = await spender();
    await at(3 * HOUR_MS);
    expect((await quote(wallet, { amount: 500 })).hint).toBe(
      'At most ₦1.00 now; ₦5.00 passes after 3 Mar 2027, 13:05 WAT.',
    );
    await at(2 * DAY_MS - HOUR_MS);
    expect((await quote(wallet, { amount: 500 })).hint).toBe(
      'At most ₦1.00 now; ₦5.00 passes after 13:05 WAT.',
    );
    await pay(wallet, { amount: 100 });
    expect((await quote(wallet, { amount: 400 })).hint).toBe('₦4.00 passes after 13:05 WAT.');
  });
});

describe('the answer to a blocked payment', () => {
  it('carries the same advice as a quote of it', async () => {
    const wallet = await service.fundedWallet(5_000, { spendLimitPerTx: 2_000, spendLimitPeriod: 3_000 });
    await at(0);
    await pay(wallet, { amount: 1_500 });
    for (const [amount, merchantName] of [
      [1_600, 'Acme Stores'],
      [2_001, 'Acme Stores'],
    ] as const) {
      const { message, maxAmountNow, earliestPassAt, hint } = await quote(wallet, { amount, merchantName });
      const { body } = await pay(wallet, { amount, merchantName });
      expect(body).toEqual({
        success: false,
        message,
        code: expect.any(String),
        transactionId: expect.any(String),
        maxAmountNow,
        earliestPassAt,
        hint,
      });
    }
  });

  it('keeps its decision when it is sent again under its Idempotency-Key, with advice of now', async () => {
    await at(0);
    const wallet = await service.fundedWallet(5_000, { spendLimitPerTx: 2_000, spendLimitPeriod: 2_000 });
    await pay(wallet, { amount: 700 });
    await at(HOUR_MS);
    await pay(wallet, { amount: 700 });
    const headers = { 'idempotency-key': randomUUID() };
    const first = await pay(wallet, { amount: 1_400 }, headers);
    expect([first.status, first.body.maxAmountNow, first.body.earliestPassAt]).toEqual([
      403,
      600,
      iso(30 * DAY_MS + HOUR_MS),
    ]);
    await at(2 * HOUR_MS);
    await pay(wallet, { amount: 600, recipientAccountNo: REFUSED_ACCOUNT });
    await service.settled();
    await pay(wallet, { amount: 600 });
    const again = await pay(wallet, { amount: 1_400 }, headers);
    const { hint, maxAmountNow, ...decided } = again.body;
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect({ ...decided, hint: first.body.hint, maxAmountNow: first.body.maxAmountNow }).toEqual({
      ...first.body,
      replayed: true,
    });
    expect(maxAmountNow).toBe(0);
    expect(hint).toMatch(
      /^₦14\.00 passes after 31 Mar 2027, 14:05 WAT\. This Idempotency-Key .*takes a new one\.$/,
    );
  });
});
