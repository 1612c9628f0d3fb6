import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isNuban } from '../../src/contexts/bank/nuban.js';
import {
  FAR_AHEAD,
  startService,
  type TestService,
  type TestUser,
  type TestWallet,
  walletBody,
} from '../support/service.js';

const MAX = Number.MAX_SAFE_INTEGER;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

interface Created {
  readonly success: boolean;
  readonly data: {
    readonly wallet: TestWallet;
    readonly virtualAccount: Record<string, string>;
    readonly apiKey: Record<string, string>;
    readonly apiKeys: readonly Record<string, string>[];
    readonly merchants: readonly Record<string, string>[];
  };
  readonly error: { readonly code: string; readonly errors?: readonly { readonly field: string }[] };
}

let service: TestService;
let user: TestUser;
beforeAll(async () => {
  service = await startService();
  user = await service.signUp();
});
afterAll(() => service.close());

const create = (fields: Record<string, unknown> = {}, as = user) =>
  service.post<Created>('/api/wallets', { token: as.token, body: walletBody(user.id, fields) });
const outcome = async (fields: Record<string, unknown>): Promise<unknown> => {
  const { status, body } = await create(fields);
  if (status === 201) return 'created';
  return body.error.code === 'VALIDATION_ERROR'
    ? body.error.errors?.map(({ field }) => field)
    : body.error.code;
};
const read = (id: string, as = user) => service.get<Created>(`/api/wallets/${id}`, { token: as.token });
const soon = (ms: number): string => new Date(Date.now() + ms).toISOString();

describe('creating a wallet', () => {
  it('answers 201 with the wallet, its virtual account and its key', async () => {
    const { status, body } = await create({ name: '  Research agent ' });
    expect(status).toBe(201);
    const { wallet } = body.data;
    expect(body).toEqual({
      success: true,
      data: {
        wallet: {
          id: expect.stringMatching(UUID),
          name: 'Research agent',
          userId: user.id,
          businessId: null,
          balance: 0,
          spendLimitPerTx: 100_000,
          spendLimitPeriod: 1_000_000,
          periodWindowDays: 30,
          expiry: FAR_AHEAD,
          expiresAt: null,
          useAllowlist: false,
          merchantAllowlist: [],
          status: 'ACTIVE',
          version: 1,
          apiKeyHash: null,
          createdAt: expect.stringMatching(INSTANT),
          updatedAt: wallet.createdAt,
        },
        virtualAccount: {
          id: expect.stringMatching(UUID),
          walletId: wallet.id,
          accountNumber: expect.stringMatching(/^\d{10}$/),
          accountName: expect.any(String),
          bankName: expect.any(String),
          bankCode: expect.stringMatching(/^\d{3}$/),
          currency: 'NGN',
          providerRef: expect.any(String),
          createdAt: expect.stringMatching(INSTANT),
        },
        apiKey: {
          id: expect.stringMatching(UUID),
          keyPrefix: expect.stringMatching(/^apw_live_.{7}$/),
          fullKey: expect.stringMatching(/^apw_live_[A-Za-z0-9_-]{43}$/),
          walletId: wallet.id,
          createdAt: expect.stringMatching(INSTANT),
        },
      },
    });
    const { bankCode, accountNumber } = body.data.virtualAccount as {
      bankCode: string;
      accountNumber: string;
    };
    expect(isNuban(bankCode, accountNumber)).toBe(true);
    expect(body.data.apiKey['fullKey']?.startsWith(body.data.apiKey['keyPrefix']!)).toBe(true);
  });

  it('stores the SHA-256 of the key and nowhere the key itself', async () => {
    const { body } = await create();
    const { id } = body.data.wallet;
    const fullKey = body.data.apiKey['fullKey']!;
    const [row] = await service.query<{ hash: Buffer; all: string }>(
      `SELECT hash, k::text || w::text AS all FROM api_keys k JOIN wallets w ON w.id = k.wallet_id WHERE w.id = $1`,
      [id],
    );
    expect(row?.hash.toString('hex')).toBe(createHash('sha256').update(fullKey).digest('hex'));
    expect(row?.all).not.toContain(fullKey.slice(16));
  });

  it('gives each wallet an account and a key of its own, also when many are made at once', async () => {
    const made = await Promise.all(Array.from({ length: 10 }, () => create()));
    const distinct = (of: (body: Created) => unknown) => new Set(made.map(({ body }) => of(body))).size;
    expect(distinct(({ data }) => data.virtualAccount['accountNumber'])).toBe(10);
    expect(distinct(({ data }) => data.apiKey['fullKey'])).toBe(10);
    expect(distinct(({ data }) => data.wallet.id)).toBe(10);
  });

  it('assigns nothing that a client names beyond its fields', async () => {
    const id = randomUUID();
    const { body } = await create({
      id,
      balance: 1_000_000,
      status: 'SUSPENDED',
      apiKeyHash: 'x',
      createdAt: 0,
      businessId: id,
    });
    expect(body.data.wallet).toMatchObject({
      balance: 0,
      status: 'ACTIVE',
      apiKeyHash: null,
      businessId: null,
    });
    expect(body.data.wallet.id).not.toBe(id);
  });

  it('takes the id of its user in either case and answers it in lower case', async () => {
    const { body } = await create({ userId: user.id.toUpperCase() });
    expect(body.data.wallet.userId).toBe(user.id);
  });

  it.each<[string, unknown[], unknown[]]>([
    [
      'name',
      ['x', 'x'.repeat(99), 'x'.repeat(100), ` ${'x'.repeat(100)} `, '😀'.repeat(100)],
      ['', '   ', 'x'.repeat(101), '😀'.repeat(101), 'a\u0000', '\ud800', 7, null, undefined, ['x']],
    ],
    ['userId', [], ['', 'me', 7, null, undefined, '01a1fd71-ec35-77c2-9900-6d901138ea6']],
    ['spendLimitPerTx', [1, 999_999, 1_000_000], [0, -1, 1.5, MAX + 1, '100', true, null, undefined, [5]]],
    [
      'spendLimitPeriod',
      [100_000, 100_001, 2_147_483_648, MAX - 1, MAX],
      [0, -1, 1_000_000.5, MAX + 1, '1000000', null, undefined],
    ],
    ['periodWindowDays', [1, 2, 30, 3_649, 3_650, null, undefined], [0, -1, 1.5, 3_651, 1e9, '30', true]],
    [
      'expiry',
      [
        FAR_AHEAD,
        '2099-01-01 00:00',
        '2099-01-01T00:00:00',
        '2099-01-01T00:00:00+01:00',
        '9999-12-31T23:59:59.999Z',
        '2099-02-28T00:00:00.123456789Z',
      ],
      [
        '',
        'tomorrow',
        '2099-01-01',
        '2099-02-30T00:00:00Z',
        '2099-13-01T00:00:00Z',
        4_102_444_800_000,
        null,
        undefined,
        {},
        '+275760-09-13T00:00:00.001Z',
      ],
    ],
    ['useAllowlist', [false, null, undefined], ['true', 1, 0, [], 'false']],
    [
      'merchantAllowlist',
      [[], ['x'], null, undefined, ['x'.repeat(200)], Array<string>(1_000).fill('x')],
      [
        'x',
        {},
        7,
        [''],
        ['   '],
        ['x'.repeat(201)],
        [7],
        [null],
        [['x']],
        ['x', 'a\u0000'],
        ['\ud800'],
        Array<string>(1_001).fill('x'),
      ],
    ],
  ])('takes %s within its rule and refuses it outside', async (field, right, wrong) => {
    for (const value of right) expect([value, await outcome({ [field]: value })]).toEqual([value, 'created']);
    for (const value of wrong) expect([value, await outcome({ [field]: value })]).toEqual([value, [field]]);
  });

  it('names every field that fails, each once', async () => {
    const { status, body } = await service.post<Created>('/api/wallets', { token: user.token, body: {} });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(body.error.errors?.map(({ field }) => field)).toEqual([
      'name',
      'userId',
      'spendLimitPerTx',
      'spendLimitPeriod',
      'expiry',
    ]);
  });

  it('reads an expiry without a zone as UTC, and with one as what it says', async () => {
    expect((await create({ expiry: '2099-05-01T10:00:00' })).body.data.wallet.expiry).toBe(
      '2099-05-01T10:00:00.000Z',
    );
    expect((await create({ expiry: '2099-05-01T10:00:00.5+01:00' })).body.data.wallet.expiry).toBe(
      '2099-05-01T09:00:00.500Z',
    );
    expect((await create({ expiry: '2099-05-01 10:00' })).body.data.wallet.expiry).toBe(
      '2099-05-01T10:00:00.000Z',
    );
  });
});

describe('the rules of a wallet', () => {
  it('are broken by an expiry that is not in the future', async () => {
    expect(await outcome({ expiry: soon(-1) })).toBe('EXPIRY_IN_PAST');
    expect(await outcome({ expiry: '2001-01-01T00:00:00Z' })).toBe('EXPIRY_IN_PAST');
    expect(await outcome({ expiry: '1970-01-01T00:00:00Z' })).toBe('EXPIRY_IN_PAST');
    expect(await outcome({ expiry: soon(60_000) })).toBe('created');
  });

  it('are broken by an allowlist in use that names no merchant', async () => {
    for (const merchantAllowlist of [[], null, undefined]) {
      expect(await outcome({ useAllowlist: true, merchantAllowlist })).toBe('ALLOWLIST_REQUIRED');
    }
    expect(await outcome({ useAllowlist: true, merchantAllowlist: ['x'] })).toBe('created');
  });

  it('are broken by a limit of the period one kobo below that of a payment, and not by an equal one', async () => {
    expect(await outcome({ spendLimitPerTx: 1_000, spendLimitPeriod: 999 })).toBe('PERIOD_LIMIT_TOO_LOW');
    expect(await outcome({ spendLimitPerTx: 1_000, spendLimitPeriod: 1_000 })).toBe('created');
    expect(await outcome({ spendLimitPerTx: 1_000, spendLimitPeriod: 1_001 })).toBe('created');
    expect(await outcome({ spendLimitPerTx: MAX, spendLimitPeriod: MAX })).toBe('created');
  });

  it('are judged in the order: fields, owner, expiry, allowlist, limits', async () => {
    const all = {
      expiry: '2001-01-01T00:00:00Z',
      useAllowlist: true,
      spendLimitPeriod: 1,
      userId: randomUUID(),
    };
    expect(await outcome({ ...all, name: '' })).toEqual(['name']);
    expect(await outcome(all)).toBe('FORBIDDEN');
    expect(await outcome({ ...all, userId: user.id })).toBe('EXPIRY_IN_PAST');
    expect(await outcome({ ...all, userId: user.id, expiry: FAR_AHEAD })).toBe('ALLOWLIST_REQUIRED');
    expect(await outcome({ ...all, userId: user.id, expiry: FAR_AHEAD, merchantAllowlist: ['x'] })).toBe(
      'PERIOD_LIMIT_TOO_LOW',
    );
  });

  it('have their statuses and envelopes', async () => {
    for (const [fields, status, code] of [
      [{ userId: randomUUID() }, 403, 'FORBIDDEN'],
      [{ expiry: '2001-01-01T00:00:00Z' }, 400, 'EXPIRY_IN_PAST'],
      [{ useAllowlist: true }, 400, 'ALLOWLIST_REQUIRED'],
      [{ spendLimitPeriod: 1 }, 400, 'PERIOD_LIMIT_TOO_LOW'],
    ] as const) {
      const answer = await create(fields);
      expect([answer.status, answer.body.error.code]).toEqual([status, code]);
      expect(Object.keys(answer.body)).toEqual(['error']);
    }
  });
});

describe('an allowlist', () => {
  it('is kept as supplied, trimmed, with the first spelling of each merchant', async () => {
    const { body } = await create({
      useAllowlist: true,
      merchantAllowlist: [' Acme Stores ', 'ACME  stores', 'Béta', 'be\u0301ta', 'ＡＷＳ', 'aws'],
    });
    expect(body.data.wallet.merchantAllowlist).toEqual(['Acme Stores', 'Béta', 'ＡＷＳ']);
  });

  it('is empty when it is not in use', async () => {
    const { body } = await create({ useAllowlist: false, merchantAllowlist: ['Acme'] });
    expect(body.data.wallet).toMatchObject({ useAllowlist: false, merchantAllowlist: [] });
  });
});

describe('reading a wallet', () => {
  it('answers what was created, without the full key, ever', async () => {
    const { body: created } = await create();
    const { status, body, text } = await read(created.data.wallet.id);
    expect(status).toBe(200);
    const { id, keyPrefix, createdAt, fullKey } = created.data.apiKey;
    expect(body).toEqual({
      success: true,
      data: {
        wallet: created.data.wallet,
        virtualAccount: created.data.virtualAccount,
        apiKeys: [{ id, keyPrefix, createdAt }],
        merchants: [],
      },
    });
    expect(text).not.toContain(fullKey);
  });

  it('takes the id in either case', async () => {
    const { body } = await create();
    expect((await read(body.data.wallet.id.toUpperCase())).body.data.wallet.id).toBe(body.data.wallet.id);
  });

  it('shows expiresAt once the expiry has passed, and the status stays', async () => {
    const { body } = await create();
    const { id } = body.data.wallet;
    await service.query(`UPDATE wallets SET expiry = '2020-01-01' WHERE id = $1`, [id]);
    expect((await read(id)).body.data.wallet).toMatchObject({
      expiry: '2020-01-01T00:00:00.000Z',
      expiresAt: '2020-01-01T00:00:00.000Z',
      status: 'ACTIVE',
    });
  });

  it('shows the balance after a top-up and a payment', async () => {
    const wallet = await service.createWallet(user);
    await service.topUp(wallet.id, 5_000);
    await service.pay(wallet.key, { amount: 1_500 });
    expect((await read(wallet.id)).body.data.wallet.balance).toBe(3_500);
  });

  it.each(['zz', '0', '%20', '..%2f', randomUUID(), 'null', '[object%20Object]', '1;drop%20table%20wallets'])(
    'answers 404 WALLET_NOT_FOUND for the id %s',
    async (id) => {
      const { status, body } = await read(id);
      expect([status, body]).toEqual([
        404,
        { error: { code: 'WALLET_NOT_FOUND', message: expect.any(String) } },
      ]);
    },
  );
});

describe('listing the wallets of a user', () => {
  it('answers a bare list, newest first, without expiresAt and apiKeyHash', async () => {
    const owner = await service.signUp();
    const list = () => service.get<TestWallet[]>(`/api/wallets/user/${owner.id}`, { token: owner.token });
    expect((await list()).body).toEqual([]);
    const ids: string[] = [];
    for (let i = 0; i < 3; i += 1) ids.unshift((await service.createWallet(owner, { name: `W${i}` })).id);
    const { status, body } = await list();
    expect(status).toBe(200);
    expect(body.map(({ id }) => id)).toEqual(ids);
    const { data } = (await read(ids[0]!, owner)).body;
    const { expiresAt: _, apiKeyHash: __, ...wallet } = data.wallet;
    expect(body[0]).toEqual({ ...wallet, virtualAccount: data.virtualAccount, apiKeys: data.apiKeys });
  });

  it('takes the id of the user in either case', async () => {
    const answer = await service.get(`/api/wallets/user/${user.id.toUpperCase()}`, { token: user.token });
    expect(answer.status).toBe(200);
  });

  it('answers 403 for another user and 404 where there is no such user', async () => {
    const other = await service.signUp();
    for (const [id, status, code] of [
      [other.id, 403, 'FORBIDDEN'],
      [other.id.toUpperCase(), 403, 'FORBIDDEN'],
      [randomUUID(), 404, 'USER_NOT_FOUND'],
      ['nobody', 404, 'USER_NOT_FOUND'],
    ] as const) {
      const answer = await service.get<Created>(`/api/wallets/user/${id}`, { token: user.token });
      expect([answer.status, answer.body.error.code]).toEqual([status, code]);
    }
  });
});
