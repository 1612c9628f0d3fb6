import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrationSource } from '../../src/platform/database/migrate.js';
import { askAbove } from '../support/approvals.js';
import { brokenInvariants } from '../support/invariants.js';
import {
  type Answer,
  type CreatedWallet,
  expectStatus,
  type HistoryRow,
  type PageOf,
  type PaymentAnswer,
  startService,
  type TestService,
  until,
} from '../support/service.js';

/** What keys with limits share with the other keys of their wallet, and what they do not. */

let one: TestService;
let other: TestService;
beforeAll(async () => {
  one = await startService();
  other = await startService({ beside: one });
});
afterAll(async () => {
  const broken = await brokenInvariants(one);
  await other.close();
  await one.close();
  expect(broken).toEqual({});
});

const LIMITS = { totalCap: 500_000 };
const either = (i: number): TestService => (i % 2 === 0 ? one : other);

interface Key {
  readonly id: string;
  readonly fullKey: string;
}
const makeKey = async ({ id, owner }: CreatedWallet, fields: object): Promise<Key> =>
  expectStatus(
    201,
    await one.post<{ data: { apiKey: Key } }>(`/api/wallets/${id}/keys`, {
      token: owner.token,
      body: { name: 'child', ...fields },
    }),
  ).body.data.apiKey;
const limitedKey = (wallet: CreatedWallet, fields: object = {}): Promise<Key> =>
  makeKey(wallet, { limits: LIMITS, ...fields });

const send = (key: string, order: string, amount = 100, service = one): Promise<Answer<PaymentAnswer>> =>
  service.pay(key, { amount }, { 'idempotency-key': order });
const idOf = ({ body }: Answer<PaymentAnswer>): string => body.data.transaction.id;
/** `first`, or of which payment it is a replay. */
const told = (answer: Answer<PaymentAnswer>): string =>
  answer.headers['idempotency-replayed'] === 'true' ? `again ${idOf(answer)}` : `${answer.status} first`;
const list = async (key: string, query = ''): Promise<PageOf<HistoryRow>> =>
  expectStatus(200, await one.get<PageOf<HistoryRow>>(`/api/payment-intent${query}`, { key })).body;
const amounts = async (key: string, query = ''): Promise<[number[], number]> => {
  const { data, pagination } = await list(key, query);
  return [data.map(({ amount }) => amount), pagination.totalCount];
};

describe('an Idempotency-Key', () => {
  it('of a key with limits is another one than that of the other keys of the wallet', async () => {
    const wallet = await one.fundedWallet(100_000);
    const [child, sibling] = [await limitedKey(wallet), await limitedKey(wallet)];
    const keys = [child.fullKey, wallet.key, sibling.fullKey];
    const first = [];
    for (const [i, key] of keys.entries()) first.push(expectStatus(201, await send(key, 'order-1', 100 + i)));
    expect(new Set(first.map(idOf)).size).toBe(3);
    for (const [i, key] of keys.entries()) {
      expect(told(await send(key, 'order-1', 100 + i, other))).toBe(`again ${idOf(first[i]!)}`);
      expect((await send(key, 'order-1', 100 + ((i + 1) % 3))).body.code).toBe('IDEMPOTENCY_KEY_REUSED');
    }
    expect((await one.stats(wallet)).balance).toBe(100_000 - 303);
  });

  it('is paid under once for each key, however many arrive at once, at both of two replicas', async () => {
    const wallet = await one.fundedWallet(100_000);
    const child = await limitedKey(wallet);
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        send(i % 3 === 0 ? child.fullKey : wallet.key, `order-${i % 2}`, 100, either(i >> 1)),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map(idOf)).size).toBe(4);
    expect((await one.stats(wallet)).balance).toBe(100_000 - 400);
  });

  it('is taken over by the key that replaces one, and known to both while both pay', async () => {
    const wallet = await one.fundedWallet(100_000);
    const child = await limitedKey(wallet);
    const before = await send(child.fullKey, 'before');
    const next = await limitedKey(wallet, { replaces: child.id, graceSeconds: 3_600 });
    const last = await limitedKey(wallet, { replaces: next.id, graceSeconds: 3_600 });
    for (const key of [child, next, last]) {
      expect(told(await send(key.fullKey, 'before', 100, other))).toBe(`again ${idOf(before)}`);
    }
    const after = await send(last.fullKey, 'after');
    expect(told(after)).toBe('201 first');
    for (const key of [child, next])
      expect(told(await send(key.fullKey, 'after'))).toBe(`again ${idOf(after)}`);
    expect(told(await send(wallet.key, 'before'))).toBe('201 first');
  });

  it.each([
    ['with', limitedKey],
    ['without', makeKey],
  ] as const)(
    'is taken over from a key that has ended by one %s limits that replaces it',
    async (_, make) => {
      const wallet = await one.fundedWallet(100_000);
      const child = await limitedKey(wallet);
      const before = await send(child.fullKey, 'before');
      const { token } = wallet.owner;
      expectStatus(200, await one.call('DELETE', `/api/wallets/${wallet.id}/keys/${child.id}`, { token }));
      const next = await make(wallet, { replaces: child.id, graceSeconds: 0 });
      expect(told(await send(next.fullKey, 'before'))).toBe(`again ${idOf(before)}`);
      expect((await one.stats(wallet)).balance).toBe(100_000 - 100);
    },
  );

  it('is taken over from every key by one that replaces them all', async () => {
    const wallet = await one.fundedWallet(100_000);
    const child = await limitedKey(wallet);
    const ofChild = await send(child.fullKey, 'child', 101);
    const ofParent = await send(wallet.key, 'parent', 102);
    expect(told(await send(child.fullKey, 'both', 103))).toBe('201 first');
    const bothParent = await send(wallet.key, 'both', 104);
    const heir = await makeKey(wallet, { graceSeconds: 3_600 });
    expect(told(await send(heir.fullKey, 'child', 101))).toBe(`again ${idOf(ofChild)}`);
    expect(told(await send(heir.fullKey, 'parent', 102))).toBe(`again ${idOf(ofParent)}`);
    expect(told(await send(heir.fullKey, 'both', 104))).toBe(`again ${idOf(bothParent)}`);
    expect((await send(heir.fullKey, 'both', 105)).body.code).toBe('IDEMPOTENCY_KEY_REUSED');
    const ofHeir = await send(heir.fullKey, 'heir', 106);
    expect(told(await send(child.fullKey, 'heir', 106))).toBe(`again ${idOf(ofHeir)}`);
    expect(told(await send(wallet.key, 'heir', 106))).toBe(`again ${idOf(ofHeir)}`);
    // Until it ends, the parent's key knows nothing of what the child paid.
    expect(told(await send(wallet.key, 'child', 101))).toBe('201 first');
  });

  it('is taken over where a key without limits gives way to one with limits', async () => {
    const wallet = await one.fundedWallet(100_000);
    const before = await send(wallet.key, 'order');
    const child = await limitedKey(wallet, { graceSeconds: 3_600 });
    expect(told(await send(child.fullKey, 'order'))).toBe(`again ${idOf(before)}`);
    const after = await send(child.fullKey, 'after');
    expect(told(await send(wallet.key, 'after'))).toBe(`again ${idOf(after)}`);
  });
});

describe('the attempts that a key with limits reads', () => {
  const PER_TX = 1_000;
  /** Two keys and the wallet's own one take turns: 1, 2, 3 … kobo; every fourth is past the limit. */
  const withTurns = async () => {
    const wallet = await one.fundedWallet(100_000, { spendLimitPerTx: PER_TX });
    const [child, sibling] = [await limitedKey(wallet), await limitedKey(wallet)];
    const keys = [child.fullKey, wallet.key, sibling.fullKey];
    for (let i = 1; i <= 24; i += 1) {
      await one.pay(keys[i % 3]!, { amount: i % 4 === 0 ? PER_TX + i : i });
    }
    await one.settled();
    return { wallet, child, sibling };
  };

  it('are its own: in pages, of a decision and of a time', async () => {
    const { wallet, child, sibling } = await withTurns();
    // 3, 6, 9 … 24 are the child's; 12 and 24 of them are past the limit.
    const [twelve, last] = [PER_TX + 12, PER_TX + 24];
    expect(await amounts(child.fullKey)).toEqual([[last, 21, 18, 15, twelve, 9, 6, 3], 8]);
    expect(await amounts(child.fullKey, '?page=2&pageSize=3')).toEqual([[15, twelve, 9], 8]);
    expect(await amounts(child.fullKey, '?decision=blocked')).toEqual([[last, twelve], 2]);
    expect(await amounts(child.fullKey, '?decision=approved&pageSize=4&page=2')).toEqual([[6, 3], 6]);
    expect(await amounts(child.fullKey, '?decision=pending')).toEqual([[], 0]);
    expect(await amounts(child.fullKey, '?page=9')).toEqual([[], 8]);
    const { data: all } = await list(child.fullKey);
    const { createdAt: from } = all[4]!;
    const { createdAt: to } = all[1]!;
    expect(await amounts(child.fullKey, `?from=${from}&to=${to}`)).toEqual([[18, 15, twelve], 3]);
    expect(await amounts(child.fullKey, `?from=${from}&to=${to}&decision=approved`)).toEqual([[18, 15], 2]);
    expect((await amounts(sibling.fullKey))[1]).toBe(8);
    expect(await list(wallet.key)).toEqual(await one.history(wallet));
    expect((await amounts(wallet.key))[1]).toBe(24);
    const fresh = await limitedKey(wallet);
    expect(await amounts(fresh.fullKey)).toEqual([[], 0]);
  });

  it('are found by their id only where they are its own, receipts too', async () => {
    const { wallet, child, sibling } = await withTurns();
    const own = (await list(child.fullKey)).data.map(({ id }) => id);
    const { data } = await one.history(wallet, '?pageSize=100');
    for (const { id } of data) {
      const expected = own.includes(id) ? 200 : 404;
      for (const path of [`/api/payment-intent/${id}`, `/api/payment-intent/${id}/receipt`]) {
        const { status, body } = await one.get<{ code?: string }>(path, { key: child.fullKey });
        expect([path, status, body.code]).toEqual([
          path,
          expected,
          expected === 404 ? 'TRANSACTION_NOT_FOUND' : undefined,
        ]);
      }
      expect((await one.get(`/api/payment-intent/${id}`, wallet)).status).toBe(200);
    }
    expect(own).toHaveLength(8);
    expect((await list(sibling.fullKey)).data.some(({ id }) => own.includes(id))).toBe(false);
  });

  it('go on with the key that replaces it', async () => {
    const { wallet, child } = await withTurns();
    const next = await limitedKey(wallet, { replaces: child.id, graceSeconds: 3_600 });
    expect(await list(next.fullKey)).toEqual(await list(child.fullKey));
    await one.pay(next.fullKey, { amount: 77 });
    await one.pay(child.fullKey, { amount: 78 });
    for (const { fullKey } of [child, next]) {
      expect(await amounts(fullKey, '?pageSize=3')).toEqual([[78, 77, PER_TX + 24], 10]);
    }
  });

  it('are counted with what the owner decided on since', async () => {
    const wallet = await one.fundedWallet(100_000);
    const child = await limitedKey(wallet);
    await askAbove(one, wallet, 50);
    for (const amount of [10, 61, 62, 63, 20]) await one.pay(child.fullKey, { amount });
    await one.pay(wallet.key, { amount: 64 });
    const decide = async (amount: number, how: 'approve' | 'deny') => {
      const { data } = await list(child.fullKey);
      const { id } = data.find((each) => each.amount === amount)!;
      expectStatus(
        200,
        await one.post(`/v1/approvals/${id}/${how}`, { token: wallet.owner.token, body: {} }),
      );
    };
    await decide(61, 'approve');
    await decide(62, 'deny');
    expect(await amounts(child.fullKey)).toEqual([[20, 63, 62, 61, 10], 5]);
    expect(await amounts(child.fullKey, '?decision=approved')).toEqual([[20, 61, 10], 3]);
    expect(await amounts(child.fullKey, '?decision=blocked')).toEqual([[62], 1]);
    expect(await amounts(child.fullKey, '?decision=pending')).toEqual([[63], 1]);
  });
});

describe('what a key with limits is told of its wallet', () => {
  const ownWallet = async (key: string) =>
    expectStatus(200, await one.get<{ data: Record<string, unknown> }>('/api/wallet', { key })).body.data;

  it('is the narrower of the limits of the wallet and its own', async () => {
    const wallet = await one.fundedWallet(100_000, {
      useAllowlist: true,
      merchantAllowlist: ['Acme Stores', 'Jumia'],
    });
    const expiry = new Date(Date.now() + 3_600_000).toISOString();
    const child = await limitedKey(wallet, {
      limits: {
        spendLimitPerTx: 900,
        spendLimitPeriod: 2_000,
        periodWindowDays: 7,
        totalCap: 1_500,
        maxPayments: 3,
        allowedMerchants: ['ACME  stores'],
        payee: { accountNumber: '0123456789', bankCode: '058' },
        expiry,
      },
    });
    expectStatus(201, await one.pay(wallet.key, { amount: 5_000 }));
    expectStatus(201, await one.pay(child.fullKey, { amount: 600 }));
    expect(await ownWallet(child.fullKey)).toMatchObject({
      balance: 94_400,
      spendLimitPerTx: 900,
      spendLimitPeriod: 2_000,
      periodWindowDays: 7,
      spentThisPeriod: 600,
      remainingAllowance: 900,
      expiry,
      expired: false,
      useAllowlist: true,
      merchantAllowlist: ['ACME  stores'],
      totalCap: 1_500,
      maxPayments: 3,
      paymentsLeft: 2,
      payee: { accountNumber: '0123456789', bankCode: '058' },
    });
    const parent = await ownWallet(wallet.key);
    expect(parent).toMatchObject({
      spendLimitPerTx: 100_000,
      spendLimitPeriod: 1_000_000,
      spentThisPeriod: 5_600,
    });
    expect(Object.keys(parent)).not.toContain('totalCap');
  });

  it('is what the wallet leaves where that is less', async () => {
    const wallet = await one.fundedWallet(100_000, { spendLimitPeriod: 100_000 });
    const child = await limitedKey(wallet, { limits: { maxPayments: 1, totalCap: 50_000 } });
    expectStatus(201, await one.pay(wallet.key, { amount: 60_000 }));
    expect(await ownWallet(child.fullKey)).toMatchObject({
      spendLimitPerTx: 100_000,
      spendLimitPeriod: 100_000,
      spentThisPeriod: 60_000,
      remainingAllowance: 40_000,
      useAllowlist: false,
    });
    expectStatus(201, await one.pay(child.fullKey, { amount: 1 }));
    expect(await ownWallet(child.fullKey)).toMatchObject({ remainingAllowance: 0, paymentsLeft: 0 });
  });
});

describe('payments of a key with limits that wait for the owner', () => {
  it('are 20 at most, so that the other keys can still ask', async () => {
    const wallet = await one.fundedWallet(1_000_000);
    await askAbove(one, wallet, 50);
    const child = await limitedKey(wallet);
    const answers = await Promise.all(
      Array.from({ length: 23 }, (_, i) => either(i).pay(child.fullKey, { amount: 100 })),
    );
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(20);
    const refused = answers.filter(({ status }) => status === 403);
    expect(refused.map(({ body }) => [body.code, body.message])).toEqual(
      Array(3).fill([
        'APPROVAL_LIMIT_REACHED',
        '20 payments of this key wait for approval already; one of 50 kobo at most needs none.',
      ]),
    );
    const quote = await one.post<{ data: { decision: string; blockReason: string } }>(
      '/api/payment-intent/quote',
      { key: child.fullKey, body: { ...BODY, amount: 100 } },
    );
    expect(quote.body.data).toMatchObject({ decision: 'blocked', blockReason: 'APPROVAL_LIMIT_REACHED' });
    expectStatus(201, await one.pay(child.fullKey, { amount: 50 }));
    expectStatus(202, await one.pay(wallet.key, { amount: 100 }));
    const next = await limitedKey(wallet, { replaces: child.id, graceSeconds: 0 });
    expect((await one.pay(next.fullKey, { amount: 100 })).body.code).toBe('APPROVAL_LIMIT_REACHED');
    const [waiting] = (await list(next.fullKey, '?decision=pending&pageSize=1')).data;
    expectStatus(
      200,
      await one.post(`/v1/approvals/${waiting!.id}/deny`, { token: wallet.owner.token, body: {} }),
    );
    expectStatus(202, await one.pay(next.fullKey, { amount: 100 }));
  });

  it('leave the last 20 of the wallet to keys without limits', async () => {
    const wallet = await one.fundedWallet(1_000_000);
    await askAbove(one, wallet, 50);
    const codes: unknown[] = [];
    for (let i = 0; i < 5; i += 1) {
      const { fullKey } = await limitedKey(wallet);
      const answers = await Promise.all(Array.from({ length: 20 }, () => one.pay(fullKey, { amount: 100 })));
      codes.push(answers.filter(({ status }) => status === 202).length);
    }
    expect(codes).toEqual([20, 20, 20, 20, 0]);
    const answers = await Promise.all(Array.from({ length: 21 }, () => one.pay(wallet.key, { amount: 100 })));
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(20);
  });
});

const BODY = { merchantName: 'Acme Stores', recipientAccountNo: '0123456789', recipientBankCode: '058' };

describe('the merchants of a key', () => {
  it('are compared in the form that is stored, also where the release before made the key', async () => {
    const wallet = await one.fundedWallet(100_000);
    const child = await limitedKey(wallet, { limits: { allowedMerchants: ['Ａcme   STORES', 'Jumia'] } });
    const row = async () =>
      (await one.query('SELECT allowed_merchants AS names FROM api_keys WHERE id = $1', [child.id]))[0];
    expect(await row()).toEqual({ names: ['acme stores', 'jumia'] });
    const codes = async () => [
      (await one.pay(child.fullKey, { merchantName: 'acme stores' })).status,
      (await one.pay(child.fullKey, { merchantName: 'Acme Store' })).body.code,
      (await other.pay(child.fullKey, { merchantName: ' JUMIA ' })).status,
    ];
    expect(await codes()).toEqual([201, 'KEY_LIMIT_EXCEEDED', 201]);
    await one.query('UPDATE api_keys SET allowed_merchants = NULL WHERE id = $1', [child.id]);
    expect(await codes()).toEqual([201, 'KEY_LIMIT_EXCEEDED', 201]);
  });
});

describe('the migrations', () => {
  it('give the attempts and idempotency keys of limited keys their place, and take it back', async () => {
    const service = await startService();
    try {
      const wallet = await service.fundedWallet(100_000);
      const create = async (fields: object): Promise<Key> =>
        expectStatus(
          201,
          await service.post<{ data: { apiKey: Key } }>(`/api/wallets/${wallet.id}/keys`, {
            token: wallet.owner.token,
            body: { name: 'child', limits: { allowedMerchants: ['Acme Stores'] }, ...fields },
          }),
        ).body.data.apiKey;
      const child = await create({});
      const paid = [];
      for (const amount of [1, 2, 200_000]) {
        paid.push(await service.pay(child.fullKey, { amount }, { 'idempotency-key': `order-${amount}` }));
        await service.pay(wallet.key, { amount: 5 }, { 'idempotency-key': `order-${amount}` });
      }
      const next = await create({ replaces: child.id, graceSeconds: 3_600 });
      await until(async () => (await service.query('SELECT 1 FROM graphile_worker.jobs')).length === 0);
      const rows = () =>
        service.query(
          `SELECT seq, history_id, history_seq, history_blocked_total FROM transactions ORDER BY seq`,
        );
      const keys = () =>
        service.query(
          'SELECT id, lineage, allowed_merchants FROM api_keys WHERE limits IS NOT NULL ORDER BY id',
        );
      const before = [
        await rows(),
        (await keys()).map((key) => (key as { allowed_merchants: unknown }).allowed_merchants),
      ];
      const source = await migrationSource(service.databaseUrl).initialize();
      try {
        const isDone = async () =>
          (await source.query<object[]>(`SELECT FROM migrations WHERE name LIKE 'LimitedKeyLines%'`)).length >
          0;
        while (await isDone()) await source.undoLastMigration();
        await source.runMigrations();
      } finally {
        await source.destroy();
      }
      const after = await keys();
      expect([
        await rows(),
        after.map((key) => (key as { allowed_merchants: unknown }).allowed_merchants),
      ]).toEqual(before);
      expect(after).toEqual([
        expect.objectContaining({ id: child.id, lineage: null }),
        expect.objectContaining({ id: next.id, lineage: [next.id, child.id] }),
      ]);
      const again = await service.pay(next.fullKey, { amount: 1 }, { 'idempotency-key': 'order-1' });
      expect(told(again)).toBe(`again ${idOf(paid[0]!)}`);
      expect(await brokenInvariants(service)).toEqual({});
    } finally {
      await service.close();
    }
  });
});
