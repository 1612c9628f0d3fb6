import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { KOBO_MAX } from '../../src/kernel/money.js';
import {
  type CreatedWallet,
  expectStatus,
  type LedgerRow,
  type PageOf,
  startService,
  type TestService,
  type TestUser,
  type TestWallet,
} from '../support/service.js';

interface Refused {
  readonly error: { readonly code: string; readonly errors: readonly { readonly field: string }[] };
}

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

describe('the list of wallets', () => {
  type Listed = PageOf<TestWallet & { apiKeys: object[]; virtualAccount: object }>;
  const NAMES = ['Zebra', 'apple', 'Apple pie', 'Übung', 'over%ride', 'zebra crossing', '100 days', 'apple'];
  let owner: TestUser;
  let wallets: CreatedWallet[];
  beforeAll(async () => {
    owner = await service.signUp();
    wallets = [];
    for (const [i, name] of NAMES.entries()) {
      const expiry = `20${40 + ((i * 3) % 5)}-03-01T00:00:00Z`;
      const wallet = await service.createWallet(owner, { name, expiry });
      if (i % 3 !== 0) await service.topUp(wallet.id, 1_000 * ((i * 5) % 7) + 1);
      wallets.push(wallet);
    }
    for (const i of [1, 4]) {
      await service.post(`/api/wallets/${wallets[i]!.id}/suspend`, { token: owner.token, body: {} });
    }
    await service.createWallet(undefined, { name: 'apple of somebody else' });
  });

  const list = async (query: string) =>
    expectStatus(200, await service.get<Listed>(`/v1/wallets?${query}`, { token: owner.token })).body;
  const names = async (query: string) => (await list(query)).data.map(({ name }) => name);

  it('is that of the signed-in user, newest first, and shows each as the whole list does', async () => {
    const { data, pagination } = await list('pageSize=100');
    const whole = await service.get<object[]>(`/api/wallets/user/${owner.id}`, { token: owner.token });
    expect(data).toEqual(whole.body);
    expect(pagination).toEqual({ page: 1, pageSize: 100, totalCount: 8, totalPages: 1 });
  });

  it('finds a part of the name regardless of case, and reads no pattern in it', async () => {
    expect(await names('search=APPLE')).toEqual(['apple', 'Apple pie', 'apple']);
    expect(await names(`search=${encodeURIComponent('%')}`)).toEqual(['over%ride']);
    expect(await names('search=_')).toEqual([]);
    expect(await names(`search=${encodeURIComponent('übung')}`)).toEqual(['Übung']);
  });

  it('is narrowed to statuses', async () => {
    expect(await names('status=SUSPENDED')).toEqual(['over%ride', 'apple']);
    expect(await names('status=ACTIVE,SUSPENDED')).toHaveLength(8);
    expect(await names('status=CLOSED')).toEqual([]);
  });

  it('comes page by page in the plain order, each once, for every order, search and size', async () => {
    const { data: all } = await list('pageSize=100');
    const keys: Record<string, (each: TestWallet) => string | number> = {
      createdAt: (each: TestWallet) => each.createdAt,
      name: (each: TestWallet) => each.name.toLowerCase(),
      balance: (each: TestWallet) => each.balance,
      expiry: (each: TestWallet) => each.expiry,
    };
    const sort = fc.constantFrom(...Object.keys(keys));
    const search = fc.constantFrom('', 'a', 'zebra', 'apple', 'none');
    await fc.assert(
      fc.asyncProperty(
        sort,
        fc.boolean(),
        search,
        fc.integer({ min: 1, max: 9 }),
        async (by, down, text, size) => {
          const found: TestWallet[] = [];
          let pages = 1;
          for (let page = 1; page <= pages; page += 1) {
            const { data, pagination } = await list(
              `sort=${down ? '-' : ''}${by}&page=${page}&pageSize=${size}${text && `&search=${text}`}`,
            );
            pages = pagination.totalPages;
            found.push(...data);
          }
          const wanted = all.filter(({ name }) => name.toLowerCase().includes(text));
          expect(new Set(found.map(({ id }) => id))).toEqual(new Set(wanted.map(({ id }) => id)));
          expect(found).toHaveLength(wanted.length);
          if (by === 'name') return; // letters are ordered by the database's language
          const values = found.map(keys[by]!);
          const ordered = [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
          expect(values).toEqual(down ? ordered.reverse() : ordered);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('has those that the order does not tell apart in one order too, the newest first', async () => {
    const twins = await service.signUp();
    const ids: string[] = [];
    for (let i = 0; i < 12; i += 1) ids.push((await service.createWallet(twins)).id);
    for (const sort of ['name', '-name', 'balance', '-balance', 'expiry', '-expiry']) {
      const pages = [1, 2, 3].map((page) =>
        service.get<PageOf<TestWallet>>(`/v1/wallets?sort=${sort}&pageSize=5&page=${page}`, {
          token: twins.token,
        }),
      );
      const found = (await Promise.all(pages)).flatMap((page) => expectStatus(200, page).body.data);
      expect(found.map(({ id }) => id)).toEqual(ids.toSorted().toReversed());
    }
  });

  it('is narrowed to some ids, of which those of others are left out', async () => {
    const foreign = await service.createWallet(undefined, { name: 'apple of a third' });
    const [zebra, apple, pie] = wallets as [CreatedWallet, CreatedWallet, CreatedWallet];
    const ids = [zebra.id.toUpperCase(), apple.id, pie.id, foreign.id].join(',');
    expect(await names(`walletId=${ids}`)).toEqual(['Apple pie', 'apple', 'Zebra']);
    expect(await names(`walletId=${ids}&search=apple&pageSize=1&page=2`)).toEqual(['apple']);
    expect(await names(`walletId=${foreign.id}`)).toEqual([]);
  });

  it('has an index of all names, in order of the names, with nothing else', async () => {
    type Names = { data: { id: string; name: string; status: string }[] };
    const { data } = expectStatus(
      200,
      await service.get<Names>('/v1/wallets/names', { token: owner.token }),
    ).body;
    const whole = (await list('pageSize=100')).data.map(({ id, name, status }) => ({ id, name, status }));
    expect(data).toHaveLength(8);
    expect(new Set(data.map((each) => JSON.stringify(each)))).toEqual(
      new Set(whole.map((each) => JSON.stringify(each))),
    );
    expect(data.map(({ name }) => name.toLowerCase())).toEqual(
      (await names('sort=name&pageSize=100')).map((name) => name.toLowerCase()),
    );
  });

  it.each([
    ['walletId=7', 'walletId'],
    [`walletId=${Array.from({ length: 101 }, () => randomUUID()).join(',')}`, 'walletId'],
    ['sort=size', 'sort'],
    ['sort=name&sort=name', 'sort'],
    ['status=active', 'status'],
    ['search=', 'search'],
    [`search=${'x'.repeat(101)}`, 'search'],
    ['page=0', 'page'],
  ])('refuses %s', async (query, field) => {
    const { status, body } = await service.get<Refused>(`/v1/wallets?${query}`, { token: owner.token });
    expect([status, body.error.code, body.error.errors[0]?.field]).toEqual([400, 'VALIDATION_ERROR', field]);
  });
});

describe('the stats of several wallets', () => {
  interface Stats {
    readonly walletId: string;
    readonly balance: number;
    readonly spentThisPeriod: number;
    readonly remainingAllowance: number;
  }
  type Listed = Omit<PageOf<Stats>, 'pagination'> & Partial<Pick<PageOf<Stats>, 'pagination'>>;
  const SPENT = [3_000, 0, 9_000, 1_000, 0];
  let owner: TestUser;
  let ids: string[];
  beforeAll(async () => {
    owner = await service.signUp();
    ids = [];
    for (const [i, spent] of SPENT.entries()) {
      const wallet = await service.createWallet(owner, { name: i < 3 ? `Errands ${i}` : `Travel ${i}` });
      await service.topUp(wallet.id, 20_000);
      if (spent > 0) await service.pay(wallet.key, { amount: spent });
      ids.push(wallet.id);
    }
    await service.fundedWallet(5_000);
  });

  const stats = async (query: string) =>
    expectStatus(200, await service.get<Listed>(`/v1/stats?${query}`, { token: owner.token })).body;
  const at = async (query: string) => (await stats(query)).data.map(({ walletId }) => ids.indexOf(walletId));

  it('are all at once unless a page is asked for', async () => {
    const { data, pagination } = await stats('');
    expect(data.map(({ walletId }) => ids.indexOf(walletId))).toEqual([4, 3, 2, 1, 0]);
    expect(pagination).toBeUndefined();
    const second = await stats('page=2&pageSize=2');
    expect(second.data).toEqual(data.slice(2, 4));
    expect(second.pagination).toEqual({ page: 2, pageSize: 2, totalCount: 5, totalPages: 3 });
    expect(await at('page=4&pageSize=2')).toEqual([]);
  });

  it('are ordered by what was spent before they are cut into pages; of equals the newest is first', async () => {
    expect(await at('sort=-spentThisPeriod')).toEqual([2, 0, 3, 4, 1]);
    expect(await at('sort=-spentThisPeriod&pageSize=2&page=2')).toEqual([3, 4]);
    expect(await at('sort=spentThisPeriod')).toEqual([4, 1, 3, 0, 2]);
  });

  it('are narrowed to ids of one’s own and to a part of the name', async () => {
    expect(await at(`walletId=${ids[0]},${ids[4]},${randomUUID()}`)).toEqual([4, 0]);
    expect(await at('search=TRAV')).toEqual([4, 3]);
    expect(await at('search=errands&sort=-spentThisPeriod&pageSize=2')).toEqual([2, 0]);
  });

  it.each([
    ['sort=balance', 'sort'],
    ['walletId=', 'walletId'],
    ['search=', 'search'],
    ['page=0', 'page'],
    ['pageSize=x', 'pageSize'],
  ])('refuse %s', async (query, field) => {
    const { status, body } = await service.get<Refused>(`/v1/stats?${query}`, { token: owner.token });
    expect([status, body.error.code, body.error.errors[0]?.field]).toEqual([400, 'VALIDATION_ERROR', field]);
  });

  it('leave nothing to spend to a wallet from the very instant of its expiry on, which still is ACTIVE', async () => {
    const planner = await service.signUp();
    const made = [];
    for (const name of ['Ends now', 'Ends soon', 'Goes on'])
      made.push(await service.createWallet(planner, { name, spendLimitPeriod: 900_000 }));
    const total = async () => {
      const { body } = await service.get<{ data: object }>('/v1/stats/total', { token: planner.token });
      return body.data;
    };
    const ends = (of: CreatedWallet, at: string) =>
      service.query(`UPDATE wallets SET expiry = ${at} WHERE id = $1`, [of.id]);
    await ends(made[1]!, `clock_timestamp() + interval '1 minute'`);
    expect(await total()).toMatchObject({ active: 3, remainingAllowance: 2_700_000 });
    // The clock has reached the instant of the statement when it is read next.
    await ends(made[0]!, 'clock_timestamp()');
    expect(await total()).toMatchObject({ active: 3, remainingAllowance: 1_800_000 });
  });

  it('have a wallet whose limit was lowered below what it spent leave nothing, and take nothing from another', async () => {
    const saver = await service.signUp();
    const spent = await service.createWallet(saver, { name: 'Spent', spendLimitPerTx: 1_000 });
    await service.createWallet(saver, { name: 'Unspent', spendLimitPeriod: 300_000 });
    await service.topUp(spent.id, 2_000);
    for (let i = 0; i < 2; i += 1) await service.pay(spent.key, { amount: 1_000 });
    await service.call('PATCH', `/api/wallets/${spent.id}`, {
      token: saver.token,
      body: { spendLimitPeriod: 1_000 },
    });
    const { body } = await service.get<{ data: object }>('/v1/stats/total', { token: saver.token });
    expect(body.data).toMatchObject({ spentThisPeriod: 2_000, remainingAllowance: 300_000 });
  });

  it('add up to the totals, of which a suspended wallet is a part that has nothing left to spend', async () => {
    const { data } = await stats('');
    const sum = (of: (each: Stats) => number) => data.reduce((total, each) => total + of(each), 0);
    await service.post(`/api/wallets/${ids[1]}/suspend`, { token: owner.token, body: {} });
    const total = await service.get<{ data: object }>('/v1/stats/total', { token: owner.token });
    expect(total.body.data).toEqual({
      wallets: 5,
      active: 4,
      balance: sum(({ balance }) => balance),
      spentThisPeriod: 13_000,
      remainingAllowance: sum(({ walletId, remainingAllowance }) =>
        walletId === ids[1] ? 0 : remainingAllowance,
      ),
    });
    const rich = await service.signUp();
    for (const name of ['One', 'Other']) {
      await service.createWallet(rich, { name, spendLimitPerTx: 1, spendLimitPeriod: KOBO_MAX });
    }
    // Both together are more than a number holds exactly.
    const most = await service.get<{ data: object }>('/v1/stats/total', { token: rich.token });
    expect(most.body.data).toMatchObject({ wallets: 2, remainingAllowance: KOBO_MAX });
    const newcomer = await service.signUp();
    const none = await service.get<{ data: object }>('/v1/stats/total', { token: newcomer.token });
    expect(none.body.data).toEqual({
      wallets: 0,
      active: 0,
      balance: 0,
      spentThisPeriod: 0,
      remainingAllowance: 0,
    });
  });
});

describe('a ledger entry with its counterparty', () => {
  type Expanded = LedgerRow & { readonly counterparty?: Record<string, unknown> | null };
  const NONE = { name: null, accountNumber: null, bankCode: null, walletId: null };

  it('names the merchant, the account of a withdrawal, and the other wallet of a transfer', async () => {
    const from = await service.fundedWallet(50_000, { name: 'Budget' });
    const to = await service.createWallet(from.owner, { name: 'Shopping' });
    const { token } = from.owner;
    await service.pay(from.key, { merchantName: 'Mama Put', amount: 700 });
    const send = (path: string, body: object) =>
      service.post(`/api/wallets/${from.id}/${path}`, {
        token,
        body,
        headers: { 'idempotency-key': randomUUID() },
      });
    expectStatus(
      201,
      await send('withdrawals', { amount: 900, accountNumber: '0987654321', bankCode: '044' }),
    );
    expectStatus(201, await send('transfers', { toWalletId: to.id, amount: 1_100 }));
    const entries = async (path: string) =>
      expectStatus(200, await service.get<PageOf<Expanded>>(`${path}?expand=counterparty`, { token })).body
        .data;
    const paid = {
      ...NONE,
      type: 'merchant',
      name: 'Mama Put',
      accountNumber: '0123456789',
      bankCode: '058',
    };
    const withdrawn = { ...NONE, type: 'bank_account', accountNumber: '0987654321', bankCode: '044' };
    const sent = { ...NONE, type: 'wallet', name: 'Shopping', walletId: to.id };
    const received = { ...NONE, type: 'wallet', name: 'Budget', walletId: from.id };
    const parties = (rows: readonly Expanded[]) => rows.map(({ counterparty }) => counterparty);
    expect(parties(await entries(`/api/wallets/${from.id}/ledgers`))).toEqual([sent, withdrawn, paid, null]);
    expect(parties(await entries(`/api/wallets/${to.id}/ledgers`))).toEqual([received]);
    // A transfer has one time in both of its wallets.
    expect(new Set(parties(await entries('/api/ledger')))).toEqual(
      new Set([sent, received, withdrawn, paid, null]),
    );
  });

  it('has no such member unless it is asked for, and can be asked for nothing else', async () => {
    const wallet = await service.fundedWallet(500);
    const path = `/api/wallets/${wallet.id}/ledgers`;
    expect(Object.keys((await service.ledger(wallet)).data[0]!)).not.toContain('counterparty');
    const { status, body } = await service.get<Refused>(`${path}?expand=owner`, {
      token: wallet.owner.token,
    });
    expect([status, body.error.errors[0]?.field]).toEqual([400, 'expand']);
  });
});

describe('a list of /v1 that the contract does not have', () => {
  /** Those of the contract ignore what they do not know, as its clients may rely on. */
  const CONTRACT = ['/v1/wallets/{walletId}/transactions', '/v1/wallets/{walletId}/stats'];
  const LISTS = [
    '/v1/activity',
    '/v1/activity.csv',
    '/v1/approvals',
    '/v1/auth/passkeys',
    '/v1/auth/sessions',
    '/v1/banks',
    '/v1/bookkeeping.csv',
    '/v1/home',
    '/v1/invitations',
    '/v1/members',
    '/v1/notifications',
    '/v1/payment-labels',
    '/v1/push-subscriptions',
    '/v1/saved-views',
    '/v1/search',
    '/v1/spend',
    '/v1/spend-by-day',
    '/v1/spend.csv',
    '/v1/statements',
    '/v1/stats',
    '/v1/stats/at-bank',
    '/v1/stats/total',
    '/v1/transactions',
    '/v1/transactions.csv',
    '/v1/transactions/totals',
    '/v1/wallets',
    '/v1/wallets/names',
    '/v1/wallets/{walletId}/ledger',
    '/v1/wallets/{walletId}/ledger.csv',
    '/v1/wallets/{walletId}/spend-by-day',
    '/v1/wallets/{walletId}/transactions/{transactionId}/files',
    '/v1/wallets/{walletId}/transactions/{transactionId}/notes',
    '/v1/webhook-deliveries',
    '/v1/webhook-endpoints',
    '/v1/webhook-endpoints/{endpointId}/deliveries',
  ];

  it('refuses a parameter that it does not have by its name, once the client is known', async () => {
    const { body: document } = await service.get<{
      paths: Record<string, { get?: { operationId: string; parameters?: { in: string }[] } }>;
    }>('/openapi.json');
    const lists = Object.entries(document.paths)
      .filter(
        ([path, { get }]) =>
          path.startsWith('/v1/') &&
          (get?.operationId.startsWith('list') || get?.parameters?.some((each) => each.in === 'query')),
      )
      .map(([path]) => path);
    expect(LISTS).toEqual(
      expect.arrayContaining(
        // Those of operators: test/operations/operators.
        lists.filter((path) => !CONTRACT.includes(path) && !path.startsWith('/v1/operator/')),
      ),
    );

    const wallet = await service.fundedWallet(1_000);
    const { id, owner } = wallet;
    const { transaction } = expectStatus(201, await service.pay(wallet.key, { amount: 1_000 })).body.data;
    const hook = { url: 'https://example.com/hook', events: ['wallet.funded'] };
    const made = await service.post<{ data: { id: string } }>('/v1/webhook-endpoints', {
      token: owner.token,
      body: hook,
    });
    const of = (path: string) =>
      path
        .replace('{walletId}', id)
        .replace('{endpointId}', made.body.data.id)
        .replace('{transactionId}', transaction.id);
    const required = (path: string) =>
      path === '/v1/webhook-deliveries'
        ? `&endpointId=${made.body.data.id}`
        : path === '/v1/search'
          ? '&q=Jumia'
          : path === '/v1/bookkeeping.csv'
            ? '&month=2026-05'
            : '';
    for (const path of LISTS) {
      const { status, body } = await service.get<Refused & { errors?: { path: string }[] }>(
        `${of(path)}?Status=paid${required(path)}`,
        { token: owner.token },
      );
      const named = body.errors?.map((each) => each.path) ?? body.error.errors.map(({ field }) => field);
      expect([path, status, named]).toEqual([path, 400, ['Status']]);
      expect((await service.get(`${of(path)}?Status=paid`)).status).toBe(401);
      expect([
        path,
        (await service.get(`${of(path)}?${required(path)}`, { token: owner.token })).status,
      ]).toEqual([path, 200]);
    }
    for (const path of CONTRACT)
      expect((await service.get(`${of(path)}?Status=paid`, { token: owner.token })).status).toBe(200);
  });

  it('says which parameters there are', async () => {
    const { token } = await service.signUp();
    const message = async (path: string) =>
      (await service.get<{ error: { errors: { message: string }[] } }>(path, { token })).body.error.errors[0]
        ?.message;
    expect(await message('/v1/webhook-endpoints?state=x')).toBe('is none of the parameters page, pageSize');
    expect(await message('/v1/wallets/names?state=x')).toBe('is no parameter');
  });
});
