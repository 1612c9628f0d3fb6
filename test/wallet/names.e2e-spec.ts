import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { MigrationInterface } from 'typeorm';
import { ComposedEmails1764720000010 } from '../../migrations/1764720000010-composed-emails.js';
import { MerchantIdentities1764720000000 } from '../../migrations/1764720000000-merchant-identities.js';
import { migrationSource } from '../../src/platform/database/migrate.js';
import { brokenInvariants } from '../support/invariants.js';
import {
  type CreatedWallet,
  expectStatus,
  startService,
  type TestService,
  walletBody,
} from '../support/service.js';

interface Refused {
  readonly errors?: readonly { readonly field?: string; readonly path?: string; readonly message: string }[];
  readonly error: { readonly errors: NonNullable<Refused['errors']> };
}

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  const broken = await brokenInvariants(service);
  await service.close();
  expect(broken).toEqual({});
});

describe('a name', () => {
  let wallet: CreatedWallet;
  beforeAll(async () => {
    wallet = await service.fundedWallet(10_000);
  });

  /** Every place that a name is sent to: the field, and the request with this name in it. */
  const places: [string, (name: string) => [method: string, path: string, body: unknown]][] = [
    ['name', (name) => ['POST', '/api/wallets', walletBody(wallet.owner.id, { name })]],
    [
      'merchantAllowlist',
      (name) => [
        'POST',
        '/api/wallets',
        walletBody(wallet.owner.id, { useAllowlist: true, merchantAllowlist: ['Shoprite', name] }),
      ],
    ],
    ['name', (name) => ['PATCH', `/api/wallets/${wallet.id}`, { name }]],
    ['merchantAllowlist', (name) => ['PATCH', `/api/wallets/${wallet.id}`, { merchantAllowlist: [name] }]],
    ['businessName', (name) => ['POST', '/v1/onboarding', { businessName: name, contactEmail: 'a@b.ng' }]],
    [
      'contactPhone',
      (name) => [
        'POST',
        '/v1/onboarding',
        { businessName: 'Ada', contactEmail: 'a@b.ng', contactPhone: name },
      ],
    ],
    ['name', (name) => ['POST', `/api/wallets/${wallet.id}/keys`, { name }]],
    ['purpose', (name) => ['POST', `/api/wallets/${wallet.id}/keys`, { name: 'Agent', purpose: name }]],
    [
      'limits.allowedMerchants',
      (name) => [
        'POST',
        `/api/wallets/${wallet.id}/keys`,
        { name: 'Agent', limits: { allowedMerchants: [name] } },
      ],
    ],
    [
      'merchantName',
      (name) => [
        'POST',
        `/api/wallets/${wallet.id}/payees`,
        { merchantName: name, accountNumber: '0123456789', bankCode: '058' },
      ],
    ],
    [
      'description',
      (name) => [
        'POST',
        '/v1/webhook-endpoints',
        { url: 'https://example.com/hook', events: ['wallet.funded'], description: name },
      ],
    ],
    [
      'merchantAllowlist',
      (name) => ['POST', `/api/wallets/${wallet.id}/backtest`, { days: 1, merchantAllowlist: [name] }],
    ],
    [
      'merchantAllowlist',
      (name) => ['PATCH', `/api/wallets/${wallet.id}/shadow-rules`, { merchantAllowlist: [name] }],
    ],
  ];

  it.each(places)('can hold no control character and must show something: %s', async (field, request) => {
    const { token } = wallet.owner;
    const refusal = async (name: string) => {
      const [method, path, body] = request(name);
      const { status, body: answer } = await service.call<Refused>(method, path, { token, body });
      const [error] = answer.errors ?? answer.error.errors;
      return [status, error?.field ?? error?.path, error?.message.replace(/^entry \d /, '')];
    };
    for (const [name, message] of [
      ['Shop\u0007rite', 'contains a control character (U+0007)'],
      ['Shop\nrite', 'contains a control character (U+000A)'],
      ['Shop\u2028rite', 'contains a control character (U+2028)'],
      ['Shop\u202eetir', 'contains a control character (U+202E)'],
      ['Shop\u2067rite', 'contains a control character (U+2067)'],
      ['Shop\u0000rite', 'contains a control character (U+0000)'],
      ['Shop\ud800rite', "contains half of a surrogate pair (U+D800), which can't be stored"],
      ['\u200b\u3164\u2060', 'contains no visible character'],
    ])
      expect([name, ...(await refusal(name!))]).toEqual([name, 400, field, message]);
  });

  it('can hold what emoji and scripts need, and is answered as it was sent', async () => {
    for (const name of [
      '\u{1f469}\u200d\u{1f680} Rockets',
      '\u0646\u0627\u0645\u0647\u200c\u0627\u06cc',
      'Caf\u00e9 \u2764\ufe0f',
    ]) {
      expect((await service.createWallet(wallet.owner, { name })).name).toBe(name);
      const { body } = await service.pay(wallet.key, { merchantName: name, amount: 100 });
      expect(body.data.transaction).toMatchObject({ merchantName: name });
    }
  });

  it('of an e-mail is refused alike', async () => {
    for (const email of ['a\u202eb@example.com', '\u200b\u200b@example.com'])
      expect(
        (
          await service.post('/v1/auth/signup', {
            body: { email, password: 'correct horse', accountType: 'business' },
          })
        ).status,
      ).toBe(400);
  });

  it('is found with and without the characters that show nothing', async () => {
    const owner = await service.signUp();
    const { id } = await service.createWallet(owner, { name: 'Re\u200bsearch\u00ad agent' });
    for (const search of ['research', 'RE\u2060SEARCH', 'h\u00ad agent']) {
      const { body } = await service.get<{ data: { id: string }[] }>(
        `/v1/wallets?search=${encodeURIComponent(search)}`,
        { token: owner.token },
      );
      expect(body.data.map((each) => each.id)).toEqual([id]);
    }
    const { status } = await service.get('/v1/wallets?search=%E2%80%8B', { token: owner.token });
    expect(status).toBe(400);
  });
});

describe('a merchant whose name has characters that show nothing', () => {
  const OTHER_ACCOUNT = { recipientAccountNo: '0123456780' };

  it('is the one without them: on an allowlist, among the merchants, in a search, and to the policy of payees', async () => {
    const wallet = await service.fundedWallet(10_000, {
      useAllowlist: true,
      merchantAllowlist: ['Shop\u00adrite', 'Shoprite', 'shoprite\u200b'],
      payeePolicy: 'first_use',
    });
    expect(wallet.merchantAllowlist).toEqual(['Shop\u00adrite']);
    const pay = async (merchantName: string, fields = {}) => {
      const { status, body } = await service.pay(wallet.key, { merchantName, ...fields });
      return status === 201 ? 'approved' : body.code;
    };
    expect(await pay('Shop\u200brite')).toBe('approved');
    expect(await pay('Shoprite')).toBe('approved');
    expect(await pay('S\u2060hoprite', OTHER_ACCOUNT)).toBe('PAYEE_NOT_ALLOWED');
    expect(await pay('Shop rite')).toBe('MERCHANT_NOT_ALLOWED');
    const { token } = wallet.owner;
    const { body } = await service.get<{ data: { merchants: { name: string }[] } }>(
      `/api/wallets/${wallet.id}`,
      {
        token,
      },
    );
    expect(body.data.merchants.map(({ name }) => name)).toEqual(['Shop\u200brite']);
    const found = await service.get<{ data: unknown[] }>('/v1/transactions?merchant=sho%E2%80%8Bprite', {
      token,
    });
    expect(found.body.data).toHaveLength(3);
  });

  it('is registered as a payee once', async () => {
    const wallet = await service.createWallet();
    const register = async (merchantName: string) => {
      const answer = await service.post<{ data: { payee: { id: string } } }>(
        `/api/wallets/${wallet.id}/payees`,
        {
          token: wallet.owner.token,
          body: { merchantName, accountNumber: '0123456789', bankCode: '058' },
        },
      );
      return expectStatus(201, answer).body.data.payee.id;
    };
    expect(await register('Shop\u200brite')).toBe(await register('Shoprite'));
  });
});

/** Runs a migration on rows that were written before it. */
async function migrate(migration: MigrationInterface): Promise<void> {
  const source = await migrationSource(service.databaseUrl).initialize();
  const runner = source.createQueryRunner();
  try {
    await runner.startTransaction();
    await migration.up(runner);
    await runner.commitTransaction();
    await migration.down(runner);
  } finally {
    await runner.release();
    await source.destroy();
  }
}

describe('what was stored before', () => {
  it('of allowlists and merchants is compared as it is now, with the plain spelling where there are two', async () => {
    const merchantAllowlist = ['Shop\u200brite', 'Acme', 'Jumia\ufeffFood'];
    const one = await service.fundedWallet(10_000, { useAllowlist: true, merchantAllowlist });
    const two = await service.fundedWallet(10_000);
    await service.query('UPDATE wallets SET allowed_merchants = $2 WHERE id = $1', [
      one.id,
      ['shop\u200brite', 'acme', 'jumia food'],
    ]);
    for (const [walletId, merchant, name] of [
      [one.id, 'shop\u200brite', 'Shop\u200brite'],
      [two.id, 'shop\u200brite', 'Shop\u200brite'],
      [two.id, 'shop\u00adrite', 'Shop\u00adrite'],
      [two.id, 'shoprite', 'Shoprite'],
    ])
      await service.query(
        'INSERT INTO wallet_merchants (wallet_id, merchant, id, name) VALUES ($1, $2, gen_random_uuid(), $3)',
        [walletId, merchant, name],
      );
    await migrate(new MerchantIdentities1764720000000());
    for (const merchantName of ['Shoprite', 'Acme', 'JumiaFood'])
      expect((await service.pay(one.key, { merchantName })).status).toBe(201);
    const merchants = (walletId: string) =>
      service.query('SELECT merchant, name FROM wallet_merchants WHERE wallet_id = $1 ORDER BY 1', [
        walletId,
      ]);
    expect(await merchants(one.id)).toContainEqual({ merchant: 'shoprite', name: 'Shop\u200brite' });
    expect(await merchants(two.id)).toEqual([{ merchant: 'shoprite', name: 'Shoprite' }]);
  });

  it('of payees is merged, and what only a first use bound is not added to a merchant that has payees', async () => {
    const { id } = await service.createWallet();
    const add = (merchantName: string, merchant: string, accountNumber: string, origin: string) =>
      service.query(
        `INSERT INTO wallet_payees (wallet_id, merchant, account_number, bank_code, id, merchant_name, origin, created_at)
         VALUES ($1, $2, $3, '058', gen_random_uuid(), $4, $5, clock_timestamp())`,
        [id, merchant, accountNumber, merchantName, origin],
      );
    await add('Shop\u200brite', 'shop\u200brite', '0000000001', 'first_use');
    await add('Shop\u00adrite', 'shop\u00adrite', '0000000002', 'registered');
    await add('Shop\u00adrite', 'shop\u00adrite', '0000000003', 'registered');
    await add('Shoprite', 'shoprite', '0000000003', 'first_use');
    await add('Ac\u200bme', 'ac\u200bme', '0000000004', 'first_use');
    await add('Ac\u00adme', 'ac\u00adme', '0000000005', 'first_use');
    await migrate(new MerchantIdentities1764720000000());
    expect(
      await service.query(
        `SELECT merchant, account_number AS account, origin FROM wallet_payees WHERE wallet_id = $1 ORDER BY 1, 2`,
        [id],
      ),
    ).toEqual([
      { merchant: 'acme', account: '0000000004', origin: 'first_use' },
      { merchant: 'shoprite', account: '0000000002', origin: 'registered' },
      { merchant: 'shoprite', account: '0000000003', origin: 'registered' },
    ]);
  });

  it('of e-mails is composed, but for one that another user has already', async () => {
    const users = await Promise.all(Array.from({ length: 4 }, () => service.signUp()));
    const emails = [
      'jose\u0301@example.com',
      'e\u0301ve@example.com',
      '\u00e9ve@example.com',
      'plain@example.com',
    ];
    for (const [i, email] of emails.entries())
      await service.query('UPDATE users SET email = $2 WHERE id = $1', [users[i]!.id, email]);
    await migrate(new ComposedEmails1764720000010());
    const stored = await service.query<{ id: string; email: string }>(
      'SELECT id, email FROM users WHERE id = ANY ($1)',
      [users.map(({ id }) => id)],
    );
    expect(users.map(({ id }) => stored.find((user) => user.id === id)?.email)).toEqual([
      'jos\u00e9@example.com',
      'e\u0301ve@example.com',
      '\u00e9ve@example.com',
      'plain@example.com',
    ]);
    const { status } = await service.post('/v1/auth/login', {
      body: { email: 'jose\u0301@example.com', password: 'correct horse' },
    });
    expect(status).toBe(200);
  });
});
