import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { seedHistory } from '../bench/seed-history.ts';
import { brokenInvariants } from '../support/invariants.js';
import {
  type CreatedWallet,
  type HistoryRow,
  type LedgerRow,
  type PageOf,
  startService,
  type TestService,
} from '../support/service.js';

interface CompactRow {
  readonly amount: number;
  readonly merchant: string;
  readonly decision: string;
  readonly reason: string | null;
  readonly createdAt: string;
}
interface Refused {
  readonly error: { readonly code: string; readonly errors: readonly { readonly field: string }[] };
}

let service: TestService;
/** 105 payments of 1, 2 … 105 kobo: every tenth is blocked by the limit of a payment. No test adds to them. */
let wallet: CreatedWallet;
let empty: CreatedWallet;
const COUNT = 105;

beforeAll(async () => {
  service = await startService();
  wallet = await service.fundedWallet(1_000_000, { spendLimitPerTx: 1_000 });
  empty = await service.createWallet(wallet.owner);
  for (let i = 1; i <= COUNT; i += 1) {
    await service.pay(wallet.key, {
      amount: i % 10 === 0 ? 1_000 + i : i,
      reason: `payment ${i}`,
      merchantName: 'ACME  Stores',
    });
  }
  await service.settled();
});
afterAll(() => service.close());

const token = () => wallet.owner.token;
const lists = [
  ['the transactions', () => `/api/wallets/${wallet.id}/transactions`, COUNT],
  ['the ledger of a wallet', () => `/api/wallets/${wallet.id}/ledgers`, 96],
  ['the global ledger', () => '/api/ledger', 96],
] as const;

describe.each(lists)('pages of %s', (_, path, total) => {
  type Rows = PageOf<{ readonly id: string; readonly createdAt: string }>;
  const page = async (query: string) => {
    const { status, body } = await service.get<Rows>(path() + query, { token: token() });
    expect(status).toBe(200);
    return body;
  };

  it('hold ten by default, newest first', async () => {
    const { success, data, pagination } = await page('');
    expect(success).toBe(true);
    expect(data).toHaveLength(10);
    expect(pagination).toEqual({
      page: 1,
      pageSize: 10,
      totalCount: total,
      totalPages: Math.ceil(total / 10),
    });
    const times = data.map(({ createdAt }) => createdAt);
    expect([...times].sort().reverse()).toEqual(times);
  });

  it.each([1, 7, 10, 95, 96, 97, 99, 100])('of %d cover every row once', async (pageSize) => {
    const ids: string[] = [];
    const { pagination } = await page(`?pageSize=${pageSize}`);
    expect(pagination.totalPages).toBe(Math.ceil(total / pageSize));
    const shown = pageSize === 1 ? 3 : pagination.totalPages;
    for (let i = 1; i <= shown; i += 1)
      ids.push(...(await page(`?page=${i}&pageSize=${pageSize}`)).data.map(({ id }) => id));
    expect(new Set(ids).size).toBe(pageSize === 1 ? 3 : total);
    expect(ids).toHaveLength(pageSize === 1 ? 3 : total);
  });

  it.each([
    ['99', 99],
    ['100', 100],
    ['101', 100],
    ['1000000', 100],
    ['9007199254740993', 100],
    ['99999999999999999999999', 100],
  ])('of %s rows are of %d', async (asked, pageSize) => {
    const { data, pagination } = await page(`?pageSize=${asked}`);
    expect(pagination.pageSize).toBe(pageSize);
    expect(data).toHaveLength(Math.min(pageSize, total));
  });

  it.each(['12', '1000000', '2147483646', '2147483647'])(
    'past the end (%s) are empty, with the true totals',
    async (number) => {
      const { data, pagination } = await page(`?page=${number}`);
      expect(data).toEqual([]);
      expect(pagination).toEqual({
        page: Number(number),
        pageSize: 10,
        totalCount: total,
        totalPages: Math.ceil(total / 10),
      });
    },
  );

  it('end with what is left', async () => {
    expect((await page(`?page=${Math.ceil(total / 10)}`)).data).toHaveLength(total % 10);
  });

  it.each([
    '0',
    '-1',
    'abc',
    '1.5',
    '1e1',
    '0x1',
    '',
    '%20',
    '1%201',
    'null',
    'Infinity',
    '1;drop',
    '%00',
    '١',
  ])('are refused for the number %j, in page and in pageSize', async (value) => {
    for (const field of ['page', 'pageSize']) {
      const { status, body } = await service.get<Refused>(`${path()}?${field}=${value}`, { token: token() });
      expect([status, body.error.code, body.error.errors.map((each) => each.field)]).toEqual([
        400,
        'VALIDATION_ERROR',
        [field],
      ]);
    }
  });

  it('are refused for page 2147483648, and for a number given twice', async () => {
    for (const query of [
      '?page=2147483648',
      '?page=99999999999999999999',
      '?page=1&page=2',
      '?pageSize[]=5&pageSize=5&pageSize=6',
    ]) {
      expect((await service.get(path() + query, { token: token() })).status).toBe(400);
    }
  });

  it('do not care for parameters they do not know', async () => {
    expect((await page('?pageNumber=2&__proto__=1&limit=3')).pagination).toMatchObject({
      page: 1,
      pageSize: 10,
    });
  });
});

describe('a wallet without history', () => {
  it('has 0 pages, and an empty list', async () => {
    for (const list of ['transactions', 'ledgers']) {
      const { body } = await service.get<PageOf<HistoryRow>>(`/api/wallets/${empty.id}/${list}`, {
        token: token(),
      });
      expect(body).toEqual({
        success: true,
        data: [],
        pagination: { page: 1, pageSize: 10, totalCount: 0, totalPages: 0 },
      });
    }
    expect((await service.get(`/v1/wallets/${empty.id}/transactions`, { token: token() })).body).toEqual([]);
    expect(await service.stats(empty)).toEqual({
      balance: 0,
      spendLimitPerTx: 100_000,
      spendLimitPeriod: 1_000_000,
      spentThisPeriod: 0,
      remainingAllowance: 1_000_000,
    });
  });

  it('leaves the global ledger of its owner empty', async () => {
    const { owner } = await service.createWallet();
    const { body } = await service.get<PageOf<LedgerRow>>('/api/ledger', { token: owner.token });
    expect([body.data, body.pagination.totalPages]).toEqual([[], 0]);
  });
});

describe('a transaction in the history', () => {
  it('has every field of the contract, when it was approved', async () => {
    const [row] = (await service.history(wallet)).data;
    expect(row).toEqual({
      id: expect.any(String),
      walletId: wallet.id,
      amount: 105,
      merchant: 'acme stores',
      merchantName: 'ACME  Stores',
      recipientAccountNo: '0123456789',
      recipientBankCode: '058',
      decision: 'approved',
      reason: 'payment 105',
      blockReason: null,
      createdAt: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/),
      auditEvents: expect.any(Array),
      settlement: { reference: expect.any(String), status: 'succeeded' },
    });
    expect(row?.auditEvents).toHaveLength(8);
  });

  it('has the block code and the reason of its caller, when it was blocked', async () => {
    const [row] = (await service.history(wallet, '?page=6&pageSize=1')).data;
    expect(row).toMatchObject({
      amount: 1_100,
      decision: 'blocked',
      reason: 'payment 100',
      blockReason: 'SPEND_LIMIT_PER_TX_EXCEEDED',
      settlement: null,
    });
  });

  it('has the time and the id that the payment was answered with', async () => {
    const paying = await service.fundedWallet(10);
    const { body } = await service.pay(paying.key, { amount: 5 });
    const [row] = (await service.history(paying)).data;
    expect([row?.id, row?.createdAt]).toEqual([body.data.transaction.id, body.data.transaction.createdAt]);
  });
});

describe('the compact list', () => {
  const compact = async (query = '', of = wallet) =>
    (await service.get<CompactRow[]>(`/v1/wallets/${of.id}/transactions${query}`, { token: of.owner.token }))
      .body;

  it('is a bare list of the newest twenty, with five fields each', async () => {
    const rows = await compact();
    expect(rows).toHaveLength(20);
    expect(rows[0]).toEqual({
      amount: expect.any(Number),
      merchant: expect.any(String),
      decision: 'approved',
      reason: 'payment 105',
      createdAt: expect.any(String),
    });
    expect(rows.slice(0, 3).map(({ amount }) => amount)).toEqual([105, 104, 103]);
  });

  it.each([
    ['1', 1],
    ['19', 19],
    ['99', 99],
    ['100', 100],
    ['101', 100],
    ['99999999999999999999', 100],
  ])('with limit %s holds %d', async (limit, count) => {
    expect(await compact(`?limit=${limit}`)).toHaveLength(count);
  });

  it.each([
    ['99', 99],
    ['100', 100],
    ['101', 100],
    ['99999999999999999999', 100],
  ])('over all wallets, with limit %s, holds %d', async (limit, count) => {
    const { body } = await service.get<{ data: object[] }>(`/v1/transactions?limit=${limit}`, {
      token: token(),
    });
    expect(body.data).toHaveLength(count);
  });

  it.each(['0', '-1', 'abc', '1.5', '', '1e2'])('refuses the limit %j', async (limit) => {
    const { status, body } = await service.get<Refused>(
      `/v1/wallets/${wallet.id}/transactions?limit=${limit}`,
      { token: token() },
    );
    expect([status, body.error.code, body.error.errors[0]?.field]).toEqual([
      400,
      'VALIDATION_ERROR',
      'limit',
    ]);
  });

  it('says in reason why an attempt was blocked, in its own words', async () => {
    const blocked = await service.createWallet(undefined, {
      spendLimitPerTx: 500,
      spendLimitPeriod: 500,
      useAllowlist: true,
      merchantAllowlist: ['Acme Stores'],
    });
    const pay = (fields: Record<string, unknown>) => service.pay(blocked.key, { reason: 'mine', ...fields });
    await pay({ amount: 500 });
    await service.topUp(blocked.id, 500);
    await pay({ amount: 501 });
    await pay({ amount: 500, merchantName: 'Other' });
    await pay({ amount: 400 });
    await pay({ amount: 101 });
    await service.query(`UPDATE wallets SET expiry = '2020-01-01' WHERE id = $1`, [blocked.id]);
    await pay({ amount: 1 });
    await service.query(`UPDATE wallets SET status = 'SUSPENDED' WHERE id = $1`, [blocked.id]);
    await pay({ amount: 1 });
    expect((await compact('', blocked)).map(({ decision, reason }) => [decision, reason]).reverse()).toEqual([
      ['blocked', 'insufficient_funds'],
      ['blocked', 'exceeds_per_tx_limit'],
      ['blocked', 'merchant_not_in_allowlist'],
      ['approved', 'mine'],
      ['blocked', 'exceeds_period_limit'],
      ['blocked', 'wallet_expired'],
      ['blocked', 'wallet_inactive'],
    ]);
    const history = (await service.history(blocked)).data
      .map(({ blockReason, reason }) => [blockReason, reason])
      .reverse();
    expect(history).toEqual([
      ['INSUFFICIENT_FUNDS', 'mine'],
      ['SPEND_LIMIT_PER_TX_EXCEEDED', 'mine'],
      ['MERCHANT_NOT_ALLOWED', 'mine'],
      [null, 'mine'],
      ['SPEND_LIMIT_PER_PERIOD_EXCEEDED', 'mine'],
      ['WALLET_EXPIRED', 'mine'],
      ['WALLET_INACTIVE', 'mine'],
    ]);
  });
});

describe('a ledger', () => {
  it('shows entries of every type with the fields of the contract', async () => {
    const of = await service.createWallet();
    const reference = await service.topUp(of.id, 2_000);
    const { body } = await service.pay(of.key, { amount: 500 });
    const { data } = await service.ledger(of);
    const common = { id: expect.any(String), walletId: of.id, createdAt: expect.any(String) };
    expect(data).toEqual([
      {
        ...common,
        type: 'debit',
        amount: 500,
        balanceAfter: 1_500,
        transactionId: body.data.transaction.id,
        reference: body.data.settlement.reference,
        narration: null,
      },
      {
        ...common,
        type: 'topup',
        amount: 2_000,
        balanceAfter: 2_000,
        transactionId: null,
        reference,
        narration: 'For the agent',
      },
    ]);
  });

  it('has a line for what moved money alone: a blocked attempt has none', async () => {
    const of = await service.createWallet();
    await service.pay(of.key);
    expect((await service.ledger(of)).pagination.totalCount).toBe(0);
    expect((await service.history(of)).pagination.totalCount).toBe(1);
  });

  it('that is global holds every wallet of the user, newest first, and no one else’s', async () => {
    const first = await service.createWallet();
    const second = await service.createWallet(first.owner);
    const stranger = await service.createWallet();
    for (const [to, amount] of [
      [first, 1],
      [second, 2],
      [stranger, 3],
      [first, 4],
    ] as const)
      await service.topUp(to.id, amount);
    const { body } = await service.get<PageOf<LedgerRow>>('/api/ledger', { token: first.owner.token });
    expect(body.data.map(({ walletId, amount }) => [walletId, amount])).toEqual([
      [first.id, 4],
      [second.id, 2],
      [first.id, 1],
    ]);
  });

  it('that is global shows an operator the entries of all users', async () => {
    const operator = await service.signUp();
    await service.query('UPDATE users SET is_operator = true WHERE id = $1', [operator.id]);
    const [all] = await service.query<{ count: string }>('SELECT count(*) FROM ledger_entries');
    const { body } = await service.get<PageOf<LedgerRow>>('/api/ledger', { token: operator.token });
    expect(body.pagination.totalCount).toBe(Number(all?.count));
  });
});

describe('the stats', () => {
  it('are a bare object of five numbers that add up', async () => {
    const of = await service.fundedWallet(9_000, { spendLimitPerTx: 2_000, spendLimitPeriod: 5_000 });
    await service.pay(of.key, { amount: 1_999 });
    await service.pay(of.key, { amount: 2_001 });
    expect(await service.stats(of)).toEqual({
      balance: 7_001,
      spendLimitPerTx: 2_000,
      spendLimitPeriod: 5_000,
      spentThisPeriod: 1_999,
      remainingAllowance: 3_001,
    });
  });

  it.each([
    '/v1/wallets/ID/stats',
    '/v1/wallets/ID/transactions',
    '/api/wallets/ID/transactions',
    '/api/wallets/ID/ledgers',
  ])('and lists of no wallet answer 404: %s', async (path) => {
    for (const id of [randomUUID(), 'zz', '0']) {
      const { status, body } = await service.get<Refused>(path.replace('ID', id), { token: token() });
      expect([status, body.error.code]).toEqual([404, 'WALLET_NOT_FOUND']);
    }
  });
});

it('the history that the benchmark seeds is what the service would have left, and paying goes on from it', async () => {
  const seeded = await service.fundedWallet(10_000);
  await seedHistory((statement, values) => service.query(statement, values), seeded.id, 120);
  const {
    data: [newest],
    pagination,
  } = await service.history(seeded);
  expect([newest?.decision, newest?.amount, pagination.totalCount]).toEqual(['approved', 10, 120]);
  expect((await service.pay(seeded.key, { amount: 10 })).status).toBe(201);
  expect((await service.stats(seeded)).balance).toBe(10_000 - 121 * 10);
  await service.settled();
  expect(await brokenInvariants(service)).toEqual({});
});
