import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type CreatedWallet,
  expectStatus,
  type LedgerRow,
  type PageOf,
  startService,
  type TestService,
  type TestUser,
  type TestWallet,
} from './support/service.js';

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
      const wallet = await service.createWallet(owner, { name });
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

  it.each([
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
