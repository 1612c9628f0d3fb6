import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Bank } from '../../src/contexts/bank/bank.port.js';
import { brokenInvariants } from '../support/invariants.js';
import {
  type Answer,
  type CreatedWallet,
  FAR_AHEAD,
  type PageOf,
  startService,
  type TestService,
  type TestUser,
  type TestWallet,
} from '../support/service.js';

let one: TestService;
let other: TestService;
beforeAll(async () => {
  one = await startService();
  other = await startService({ beside: one });
});
afterAll(async () => {
  await other.close();
  await one.close();
});
afterEach(async () => expect(await brokenInvariants(one)).toEqual({}));

interface Changed {
  readonly success: boolean;
  readonly data: { readonly wallet: TestWallet & { readonly version: number } };
  readonly error: { readonly code: string; readonly errors?: readonly { readonly field: string }[] };
}
interface Change {
  readonly id: string;
  readonly walletId: string;
  readonly userId: string;
  readonly action: string;
  readonly before: Record<string, unknown>;
  readonly after: Record<string, unknown>;
  readonly createdAt: string;
}

const either = (i: number): TestService => (i % 2 === 0 ? one : other);
const patch = (
  { id, owner }: CreatedWallet,
  body: Record<string, unknown>,
  headers: Record<string, string> = {},
  service = one,
): Promise<Answer<Changed>> =>
  service.call<Changed>('PATCH', `/api/wallets/${id}`, { token: owner.token, body, headers });
const post = ({ id, owner }: CreatedWallet, action: string, body: object = {}, service = one) =>
  service.post<Changed>(`/api/wallets/${id}/${action}`, { token: owner.token, body });
const read = ({ id, owner }: CreatedWallet) => one.get<Changed>(`/api/wallets/${id}`, { token: owner.token });
const changes = async ({ id, owner }: CreatedWallet, query = ''): Promise<PageOf<Change>> =>
  (await one.get<PageOf<Change>>(`/api/wallets/${id}/changes${query}`, { token: owner.token })).body;
const outcome = ({ status, body }: Answer<Changed>): string =>
  status === 200 ? 'changed' : `${status} ${body.error.code}`;

describe('changing a wallet', () => {
  it('takes every setting, answers the wallet with its next version, and leaves the rest', async () => {
    const wallet = await one.createWallet();
    const settings = {
      name: 'Books',
      spendLimitPerTx: 200_000,
      spendLimitPeriod: 300_000,
      periodWindowDays: 7,
      expiry: '2098-01-01T00:00:00.000Z',
      useAllowlist: true,
      merchantAllowlist: ['Acme', 'Béta'],
    };
    const { status, body, headers } = await patch(wallet, { ...settings, status: 'CLOSED', balance: 7 });
    expect([status, headers['etag']]).toEqual([200, '"2"']);
    const { key: _, owner: __, virtualAccount: ___, ...created } = wallet;
    expect(body.data.wallet).toEqual({
      ...created,
      ...settings,
      version: 2,
      updatedAt: expect.any(String),
    });
    expect((await read(wallet)).body.data.wallet).toEqual(body.data.wallet);
    expect(body.data.wallet.updatedAt > wallet.updatedAt).toBe(true);
  });

  it('leaves what is absent or null, and changes nothing where nothing is different', async () => {
    const wallet = await one.createWallet();
    expect((await patch(wallet, { name: 'New', expiry: null })).body.data.wallet).toMatchObject({
      name: 'New',
      expiry: FAR_AHEAD,
      version: 2,
    });
    expect((await patch(wallet, { name: 'New' })).body.data.wallet.version).toBe(2);
    expect((await patch(wallet, {})).body.data.wallet.version).toBe(2);
    expect((await changes(wallet)).pagination.totalCount).toBe(1);
  });

  it('has the rules and errors of creation, judged on the wallet as it would be', async () => {
    const wallet = await one.createWallet();
    for (const [fields, answer] of [
      [{ name: '' }, '400 VALIDATION_ERROR'],
      [{ spendLimitPerTx: 0 }, '400 VALIDATION_ERROR'],
      [{ merchantAllowlist: ['x'.repeat(201)] }, '400 VALIDATION_ERROR'],
      [{ version: 0 }, '400 VALIDATION_ERROR'],
      [{ expiry: '2001-01-01T00:00:00Z' }, '400 EXPIRY_IN_PAST'],
      [{ useAllowlist: true }, '400 ALLOWLIST_REQUIRED'],
      [{ useAllowlist: true, merchantAllowlist: [] }, '400 ALLOWLIST_REQUIRED'],
      [{ spendLimitPeriod: 99_999 }, '400 PERIOD_LIMIT_TOO_LOW'],
      [{ spendLimitPerTx: 1_000_001 }, '400 PERIOD_LIMIT_TOO_LOW'],
      [{ spendLimitPeriod: 100_000 }, 'changed'],
      [{ spendLimitPerTx: 500, spendLimitPeriod: 500 }, 'changed'],
      [{ merchantAllowlist: ['Acme'] }, 'changed'],
      [{ useAllowlist: true }, '400 ALLOWLIST_REQUIRED'],
      [{ useAllowlist: true, merchantAllowlist: ['Acme'] }, 'changed'],
      [{ useAllowlist: false }, 'changed'],
    ] as const) {
      expect([fields, outcome(await patch(wallet, fields))]).toEqual([fields, answer]);
    }
    expect((await read(wallet)).body.data.wallet.merchantAllowlist).toEqual([]);
  });

  it('lets an expired wallet have another name, and another expiry that lies ahead', async () => {
    const wallet = await one.fundedWallet(5_000);
    await one.query(`UPDATE wallets SET expiry = '2020-01-01' WHERE id = $1`, [wallet.id]);
    expect(outcome(await patch(wallet, { name: 'Old' }))).toBe('changed');
    expect((await one.pay(wallet.key)).body.code).toBe('WALLET_EXPIRED');
    expect((await patch(wallet, { expiry: FAR_AHEAD })).body.data.wallet.expiresAt).toBeNull();
    expect((await one.pay(wallet.key)).status).toBe(201);
  });

  it('counts the allowlist entries of all wallets of the user', async () => {
    const wallet = await one.createWallet();
    const entries = Array.from({ length: 1_000 }, (_, i) => `m${i}`);
    await one.query(
      `INSERT INTO wallets (id, user_id, name, spend_limit_per_tx, spend_limit_period, period_window_days, expiry,
         use_allowlist, merchant_allowlist, allowed_merchants, created_at, updated_at)
       SELECT gen_random_uuid(), user_id, 'W', 1, 1, 30, expiry, true, $2, $2, now(), now()
         FROM wallets CROSS JOIN generate_series(1, 19) WHERE id = $1`,
      [wallet.id, entries],
    );
    const use = (count: number) => ({ useAllowlist: true, merchantAllowlist: entries.slice(0, count) });
    expect(outcome(await patch(wallet, use(999)))).toBe('changed');
    const second = await one.createWallet(wallet.owner, use(1));
    expect(outcome(await patch(wallet, use(1_000)))).toBe('409 WALLET_LIMIT_REACHED');
    expect(outcome(await patch(second, use(2)))).toBe('409 WALLET_LIMIT_REACHED');
    expect(outcome(await patch(wallet, use(998)))).toBe('changed');
    expect(outcome(await patch(second, use(2)))).toBe('changed');
  });

  it.each(['PATCH', 'suspend', 'resume', 'close', 'changes', 'withdrawals', 'transfers'])(
    'is for the owner alone: %s',
    async (action) => {
      const wallet = await one.createWallet();
      const stranger = await one.signUp();
      const call = (id: string) =>
        action === 'PATCH'
          ? one.call<Changed>('PATCH', `/api/wallets/${id}`, { token: stranger.token, body: { name: 'x' } })
          : one.call<Changed>(action === 'changes' ? 'GET' : 'POST', `/api/wallets/${id}/${action}`, {
              token: stranger.token,
              headers: { 'idempotency-key': 'x' },
              ...(action !== 'changes' && {
                body: {
                  amount: 1,
                  accountNumber: '0123456789',
                  bankCode: '058',
                  toWalletId: wallet.id.replace(/^.{8}/, 'ffffffff'),
                },
              }),
            });
      const foreign = await call(wallet.id);
      expect([foreign.status, foreign.body.error.code]).toEqual([404, 'WALLET_NOT_FOUND']);
      expect((await call(randomUUID())).text).toBe(foreign.text);
      expect((await call('nonsense')).text).toBe(foreign.text);
    },
  );
});

describe('the version of a wallet', () => {
  it('keeps the second of two editors from overwriting the first, by If-Match or in the body', async () => {
    const wallet = await one.createWallet();
    const { headers, body } = await read(wallet);
    expect([headers['etag'], body.data.wallet.version]).toEqual(['"1"', 1]);
    expect(outcome(await patch(wallet, { name: 'a' }, { 'if-match': '"1"' }))).toBe('changed');
    expect(outcome(await patch(wallet, { name: 'b' }, { 'if-match': '"1"' }))).toBe('409 VERSION_CONFLICT');
    expect(outcome(await patch(wallet, { name: 'b', version: 1 }))).toBe('409 VERSION_CONFLICT');
    expect(outcome(await patch(wallet, { name: 'b', version: 2 }))).toBe('changed');
    expect(outcome(await patch(wallet, { name: 'c' }, { 'if-match': '*' }))).toBe('changed');
    expect(outcome(await patch(wallet, { name: 'd' }, { 'if-match': 'x' }))).toBe('400 VALIDATION_ERROR');
    expect(outcome(await patch(wallet, { name: 'd', version: 4 }, { 'if-match': '"3"' }))).toBe(
      '400 VALIDATION_ERROR',
    );
    expect((await read(wallet)).body.data.wallet).toMatchObject({ name: 'c', version: 4 });
  });

  it('counts a change of the low-balance threshold, by either route, and answers the wallet as it then is', async () => {
    const wallet = await one.createWallet();
    expect(outcome(await patch(wallet, { lowBalanceThreshold: 5, version: 1 }))).toBe('changed');
    expect(outcome(await patch(wallet, { lowBalanceThreshold: 6, version: 1 }))).toBe('409 VERSION_CONFLICT');
    const path = `/v1/wallets/${wallet.id}/low-balance-threshold`;
    const { token } = wallet.owner;
    expect((await one.call('PUT', path, { token, body: { threshold: 7 } })).status).toBe(200);
    expect(outcome(await patch(wallet, { lowBalanceThreshold: 8, version: 2 }))).toBe('409 VERSION_CONFLICT');
    expect((await patch(wallet, { lowBalanceThreshold: 7 })).body.data.wallet.version).toBe(3);
    const both = await patch(wallet, { name: 'Both', lowBalanceThreshold: 9, version: 3 });
    expect(both.body.data.wallet).toEqual((await read(wallet)).body.data.wallet);
    expect(both.headers['etag']).toBe(`"${both.body.data.wallet.version}"`);
  });

  it('lets one of fifty editors win who all read the same version, through two replicas', async () => {
    const wallet = await one.createWallet();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => patch(wallet, { name: `n${i}`, version: 1 }, {}, either(i))),
    );
    const outcomes = answers.map(outcome).sort();
    expect(outcomes).toEqual([...Array<string>(49).fill('409 VERSION_CONFLICT'), 'changed']);
  });

  it('is not moved by payments and credits', async () => {
    const wallet = await one.fundedWallet(5_000);
    await one.pay(wallet.key);
    expect((await read(wallet)).headers['etag']).toBe('"1"');
  });
});

describe('a change', () => {
  it('holds for the very next payment on every replica', async () => {
    const wallet = await one.fundedWallet(100_000, { spendLimitPerTx: 1_000, spendLimitPeriod: 10_000 });
    for (let i = 0; i < 10; i += 1) {
      await patch(wallet, { spendLimitPerTx: 500 }, {}, either(i));
      expect((await either(i + 1).pay(wallet.key)).body.code).toBe('SPEND_LIMIT_PER_TX_EXCEEDED');
      await patch(wallet, { spendLimitPerTx: 1_000 }, {}, either(i));
      expect((await either(i + 1).pay(wallet.key, { amount: 1_000 })).status).toBe(201);
    }
    expect((await one.pay(wallet.key)).body.code).toBe('SPEND_LIMIT_PER_PERIOD_EXCEEDED');
    await patch(wallet, { spendLimitPeriod: 11_000 });
    expect((await other.pay(wallet.key)).status).toBe(201);
    await patch(wallet, { useAllowlist: true, merchantAllowlist: ['Somebody'], spendLimitPeriod: 99_000 });
    expect((await other.pay(wallet.key)).body.code).toBe('MERCHANT_NOT_ALLOWED');
    await patch(wallet, { merchantAllowlist: ['acme STORES'] });
    expect((await other.pay(wallet.key)).status).toBe(201);
  });

  it('under fifty concurrent payers on two replicas never lets a payment pass that begins after its answer', async () => {
    const wallet = await one.fundedWallet(1_000_000, { spendLimitPerTx: 1_000 });
    let changed = false;
    const late: unknown[] = [];
    const paid = await Promise.all([
      ...Array.from({ length: 50 }, async (_, i) => {
        for (let round = 0; round < 4; round += 1) {
          const isLate = changed;
          const { status, body } = await either(i).pay(wallet.key, { amount: 1_000 });
          if (isLate) late.push(status === 201 ? 'paid' : body.code);
        }
      }),
      patch(wallet, { spendLimitPerTx: 999 }).then((answer) => {
        expect(outcome(answer)).toBe('changed');
        changed = true;
      }),
    ]);
    expect(paid).toHaveLength(51);
    for (let i = 0; i < 4; i += 1) late.push((await either(i).pay(wallet.key, { amount: 1_000 })).body.code);
    expect(new Set(late)).toEqual(new Set(['SPEND_LIMIT_PER_TX_EXCEEDED']));
    expect(await brokenInvariants(one)).toEqual({});
  });

  it('is on record with who, when, before and after, newest first, in pages', async () => {
    const wallet = await one.createWallet();
    await patch(wallet, { name: 'Books', spendLimitPerTx: 5 });
    await post(wallet, 'suspend');
    await patch(wallet, { lowBalanceThreshold: 900 });
    await one.call('PUT', `/v1/wallets/${wallet.id}/low-balance-threshold`, {
      token: wallet.owner.token,
      body: { threshold: null },
    });
    await post(wallet, 'resume');
    const { data, pagination } = await changes(wallet);
    expect(pagination).toEqual({ page: 1, pageSize: 10, totalCount: 5, totalPages: 1 });
    expect(data.map(({ action, before, after }) => [action, before, after])).toEqual([
      ['resumed', { status: 'SUSPENDED' }, { status: 'ACTIVE' }],
      ['updated', { lowBalanceThreshold: 900 }, { lowBalanceThreshold: null }],
      ['updated', { lowBalanceThreshold: null }, { lowBalanceThreshold: 900 }],
      ['suspended', { status: 'ACTIVE' }, { status: 'SUSPENDED' }],
      [
        'updated',
        { name: 'Research agent', spendLimitPerTx: 100_000 },
        { name: 'Books', spendLimitPerTx: 5 },
      ],
    ]);
    for (const change of data) {
      expect(change).toEqual({
        ...change,
        id: expect.any(String),
        walletId: wallet.id,
        userId: wallet.owner.id,
        createdAt: expect.stringMatching(/Z$/),
      });
    }
    const pages = await Promise.all([1, 2, 3].map((page) => changes(wallet, `?page=${page}&pageSize=2`)));
    expect(pages.flatMap((page) => page.data)).toEqual(data);
  });

  it('can not be rewritten', async () => {
    const wallet = await one.createWallet();
    await patch(wallet, { name: 'x' });
    for (const statement of ['UPDATE wallet_changes SET seq = 9', 'DELETE FROM wallet_changes']) {
      await expect(one.query(statement)).rejects.toThrow('append-only');
    }
  });
});

describe('a suspended wallet', () => {
  it('pays nothing until it is resumed, and is still credited', async () => {
    const wallet = await one.fundedWallet(5_000);
    expect((await post(wallet, 'suspend')).body.data.wallet).toMatchObject({
      status: 'SUSPENDED',
      version: 2,
    });
    expect((await post(wallet, 'suspend')).body.data.wallet.version).toBe(2);
    const { status, body } = await other.pay(wallet.key);
    expect([status, body.code]).toEqual([403, 'WALLET_INACTIVE']);
    await one.topUp(wallet.id, 700);
    expect((await one.stats(wallet)).balance).toBe(5_700);
    expect((await post(wallet, 'resume')).body.data.wallet).toMatchObject({ status: 'ACTIVE', version: 3 });
    expect((await other.pay(wallet.key)).status).toBe(201);
  });

  it('tells the subscribers of wallet.status_changed', async () => {
    const wallet = await one.createWallet();
    const { status } = await one.post('/v1/webhook-endpoints', {
      token: wallet.owner.token,
      body: { url: 'http://127.0.0.1:8999/', events: ['wallet.status_changed'] },
    });
    expect(status).toBe(201);
    await post(wallet, 'suspend');
    await post(wallet, 'suspend');
    await post(wallet, 'resume');
    await patch(wallet, { name: 'x' });
    await post(wallet, 'close');
    const rows = await one.query<{ body: string }>(
      'SELECT body FROM webhook_deliveries WHERE wallet_id = $1 ORDER BY id',
      [wallet.id],
    );
    expect(rows.map(({ body }) => JSON.parse(body) as unknown)).toEqual(
      [
        ['ACTIVE', 'SUSPENDED'],
        ['SUSPENDED', 'ACTIVE'],
        ['ACTIVE', 'CLOSED'],
      ].map(([previousStatus, status]) => ({
        event: 'wallet.status_changed',
        data: { walletId: wallet.id, previousStatus, status, changedAt: expect.stringMatching(/Z$/) },
      })),
    );
  });

  it('under fifty concurrent payers on two replicas pays nothing that begins after the answer', async () => {
    const wallet = await one.fundedWallet(1_000_000);
    let suspended = false;
    const late: unknown[] = [];
    await Promise.all([
      ...Array.from({ length: 50 }, async (_, i) => {
        for (let round = 0; round < 4; round += 1) {
          const isLate = suspended;
          const { status, body } = await either(i).pay(wallet.key);
          if (isLate) late.push(status === 201 ? 'paid' : body.code);
        }
      }),
      post(wallet, 'suspend').then(() => {
        suspended = true;
      }),
    ]);
    late.push((await other.pay(wallet.key)).body.code);
    expect(new Set(late)).toEqual(new Set(['WALLET_INACTIVE']));
    expect(await brokenInvariants(one)).toEqual({});
  });
});

describe('suspending all wallets at once', () => {
  const suspendAll = ({ token }: TestUser, service = one) =>
    service.post<{ data: { suspended: number; walletIds: string[] } }>('/v1/wallets/suspend-all', { token });

  it('suspends every active wallet of the user, all at once, and none of another user', async () => {
    const [first, stranger] = [await one.fundedWallet(5_000), await one.fundedWallet(5_000)];
    const second = await one.createWallet(first.owner);
    const closed = await one.createWallet(first.owner);
    await post(closed, 'close');
    const { status, body } = await suspendAll(first.owner);
    expect([status, body]).toEqual([
      200,
      { success: true, data: { suspended: 2, walletIds: [first.id, second.id].sort() } },
    ]);
    expect((await other.pay(first.key)).body.code).toBe('WALLET_INACTIVE');
    expect((await other.pay(stranger.key)).status).toBe(201);
    expect((await read(closed)).body.data.wallet.status).toBe('CLOSED');
    expect((await suspendAll(first.owner)).body.data).toEqual({ suspended: 0, walletIds: [] });
    expect((await changes(second)).data.map(({ action }) => action)).toEqual(['suspended']);
  });

  it('works with payments of all wallets under way on two replicas', async () => {
    const owner = await one.signUp();
    const wallets = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const wallet = await one.createWallet(owner);
        await one.topUp(wallet.id, 1_000_000);
        return wallet;
      }),
    );
    let suspended = false;
    const late: unknown[] = [];
    await Promise.all([
      ...Array.from({ length: 50 }, async (_, i) => {
        for (let round = 0; round < 4; round += 1) {
          const isLate = suspended;
          const { status, body } = await either(i).pay(wallets[(i + round) % 10]!.key);
          if (isLate) late.push(status === 201 ? 'paid' : body.code);
        }
      }),
      suspendAll(owner, other).then((answer) => {
        expect(answer.body.data.suspended).toBe(10);
        suspended = true;
      }),
    ]);
    for (const { key } of wallets) late.push((await one.pay(key)).body.code);
    expect(new Set(late)).toEqual(new Set(['WALLET_INACTIVE']));
  });
});

describe('resuming several wallets at once', () => {
  const stopped = async (count: number) => {
    const owner = await one.signUp();
    const wallets = [];
    for (let i = 0; i < count; i += 1) {
      const wallet = await one.createWallet(owner);
      await one.topUp(wallet.id, 5_000);
      wallets.push(wallet);
    }
    await one.post('/v1/wallets/suspend-all', { token: owner.token });
    return { owner, wallets };
  };
  const resume = ({ token }: TestUser, walletIds: unknown) =>
    one.post<{ data?: object; error?: { code: string } }>('/v1/wallets/resume', {
      token,
      body: { walletIds },
    });

  it('resumes the wallets that are named and no other, each once, and puts it on record', async () => {
    const { owner, wallets } = await stopped(3);
    const [first, second, third] = wallets as [CreatedWallet, CreatedWallet, CreatedWallet];
    const { status, body } = await resume(owner, [first.id, second.id.toUpperCase(), first.id]);
    expect([status, body]).toEqual([
      200,
      { success: true, data: { resumed: 2, walletIds: [first.id, second.id] } },
    ]);
    expect((await other.pay(first.key)).status).toBe(201);
    expect((await other.pay(second.key)).status).toBe(201);
    expect((await other.pay(third.key)).body.code).toBe('WALLET_INACTIVE');
    expect((await changes(first)).data.map(({ action }) => action)).toEqual(['resumed', 'suspended']);
    expect((await resume(owner, [second.id, third.id])).body.data).toEqual({
      resumed: 1,
      walletIds: [third.id],
    });
    expect((await changes(second)).data).toHaveLength(2);
  });

  it('resumes none where one is closed, another user’s or not there', async () => {
    const { owner, wallets } = await stopped(2);
    const [mine, closed] = wallets as [CreatedWallet, CreatedWallet];
    await post(closed, 'close', { payoutTo: { accountNumber: '0123456789', bankCode: '058' } });
    const [stranger] = (await stopped(1)).wallets as [CreatedWallet];
    for (const [id, code] of [
      [closed.id, 'WALLET_CLOSED'],
      [stranger.id, 'WALLET_NOT_FOUND'],
      [randomUUID(), 'WALLET_NOT_FOUND'],
    ]) {
      expect((await resume(owner, [mine.id, id])).body.error?.code).toBe(code);
    }
    for (const { key } of [mine, stranger]) {
      expect((await other.pay(key)).body.code).toBe('WALLET_INACTIVE');
    }
  });

  it.each([[undefined], [[]], ['all'], [['x']], [Array.from({ length: 1_001 }, () => randomUUID())]])(
    'refuses a list that is none, or too long: %#',
    async (walletIds) => {
      const { status, body } = await resume(await one.signUp(), walletIds);
      expect([status, body.error?.code]).toEqual([400, 'VALIDATION_ERROR']);
    },
  );
});

describe('a closed wallet', () => {
  const account = { accountNumber: '0123456789', bankCode: '058' };

  it('is closed without a body where there is no money to pay out', async () => {
    const wallet = await one.createWallet();
    const answer = await one.post<{ data: { wallet: { status: string } } }>(
      `/api/wallets/${wallet.id}/close`,
      {
        token: wallet.owner.token,
      },
    );
    expect([answer.status, answer.body.data.wallet.status]).toEqual([200, 'CLOSED']);
  });

  it('is closed for good', async () => {
    const wallet = await one.createWallet();
    expect((await post(wallet, 'close')).body.data).toMatchObject({
      wallet: { status: 'CLOSED', version: 2, balance: 0 },
      withdrawal: null,
    });
    expect((await post(wallet, 'close')).body.data.wallet).toMatchObject({ status: 'CLOSED', version: 2 });
    expect(outcome(await post(wallet, 'suspend'))).toBe('409 WALLET_CLOSED');
    expect(outcome(await post(wallet, 'resume'))).toBe('409 WALLET_CLOSED');
    expect(outcome(await patch(wallet, { name: 'x' }))).toBe('409 WALLET_CLOSED');
    for (const threshold of [500, null]) {
      const set = await one.call<Changed>('PUT', `/v1/wallets/${wallet.id}/low-balance-threshold`, {
        token: wallet.owner.token,
        body: { threshold },
      });
      expect(outcome(set)).toBe('409 WALLET_CLOSED');
    }
    expect((await one.pay(wallet.key)).body.code).toBe('WALLET_INACTIVE');
    expect((await changes(wallet)).data.map(({ action }) => action)).toEqual(['closed']);
  });

  it('had no money left, or sent it to the account that was named', async () => {
    const wallet = await one.fundedWallet(5_000);
    expect(outcome(await post(wallet, 'close'))).toBe('409 WALLET_NOT_EMPTY');
    expect(outcome(await post(wallet, 'close', { payoutTo: 'me' }))).toBe('400 VALIDATION_ERROR');
    const wrong = await post(wallet, 'close', { payoutTo: { ...account, bankCode: 'x' } });
    expect(wrong.body.error.errors?.map(({ field }) => field)).toEqual(['payoutTo.bankCode']);
    const { status, body } = await post(wallet, 'close', { payoutTo: account });
    expect([status, body.data]).toEqual([
      200,
      {
        wallet: expect.objectContaining({ status: 'CLOSED', balance: 0 }),
        withdrawal: expect.objectContaining({ ...account, amount: 5_000, walletId: wallet.id }),
      },
    ]);
    expect((await one.ledger(wallet)).data[0]).toMatchObject({
      type: 'debit',
      amount: 5_000,
      balanceAfter: 0,
    });
    await one.settled();
  });

  it('is still credited, a case is opened, and its owner can take it out', async () => {
    const wallet = await one.createWallet();
    await post(wallet, 'close');
    const reference = await one.topUp(wallet.id, 2_500);
    expect((await one.stats(wallet)).balance).toBe(2_500);
    const cases = await one.query(
      `SELECT wallet_id FROM operator_cases WHERE kind = 'credit-to-closed-wallet' AND subject = $1`,
      [reference],
    );
    expect(cases).toEqual([{ wallet_id: wallet.id }]);
    const { status } = await one.post(`/api/wallets/${wallet.id}/withdrawals`, {
      token: wallet.owner.token,
      body: { ...account, amount: 'all' },
      headers: { 'idempotency-key': 'rest' },
    });
    expect(status).toBe(201);
    expect((await one.stats(wallet)).balance).toBe(0);
    await one.settled();
  });

  it('gets back what the bank did not pay, and a case is opened', async () => {
    const wallet = await one.fundedWallet(2_500);
    const isClosed = Promise.withResolvers<true>();
    const startPayout = jest
      .spyOn(one.app.get(Bank, { strict: false }), 'startPayout')
      .mockImplementation(async () => {
        await isClosed.promise;
        return { kind: 'failed', reason: 'no such account' };
      });
    const { body } = await one.pay(wallet.key, { amount: 2_500 });
    expect((await post(wallet, 'close')).status).toBe(200);
    isClosed.resolve(true);
    await one.settled();
    startPayout.mockRestore();
    expect((await one.stats(wallet)).balance).toBe(2_500);
    const cases = await one.query(
      `SELECT wallet_id FROM operator_cases WHERE kind = 'credit-to-closed-wallet' AND subject = $1`,
      [body.data.transaction.id],
    );
    expect(cases).toEqual([{ wallet_id: wallet.id }]);
  });

  it('among fifty payers and crediting transfers keeps every kobo where it should be', async () => {
    const wallet = await one.fundedWallet(30_000);
    const answers = await Promise.all(
      Array.from({ length: 50 }, async (_, i) => {
        if (i % 10 === 5) await either(i).topUp(wallet.id, 100, `closing-${wallet.id}-${i}`);
        if (i === 25) return (await post(wallet, 'close', { payoutTo: account }, other)).status;
        return (await either(i).pay(wallet.key)).status;
      }),
    );
    expect(answers[25]).toBe(200);
    await one.settled();
    expect(await brokenInvariants(one)).toEqual({});
    const [{ out } = { out: '' }] = await one.query<{ out: string }>(
      `SELECT sum(amount) AS out FROM settlements WHERE wallet_id = $1 AND status = 'succeeded'`,
      [wallet.id],
    );
    expect(Number(out) + (await one.stats(wallet)).balance).toBe(30_500);
  });
});
