import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type CreatedWallet,
  type LedgerRow,
  type PageOf,
  paymentBody,
  startService,
  type TestService,
  walletBody,
} from './support/service.js';

let service: TestService;
let ada: CreatedWallet;
let ben: CreatedWallet;
beforeAll(async () => {
  service = await startService();
  ada = await service.fundedWallet(5_000);
  ben = await service.fundedWallet(7_000);
  await service.pay(ada.key);
  await service.pay(ben.key);
  await service.settled();
});
afterAll(() => service.close());

const WALLET_ROUTES = [
  '/api/wallets/ID',
  '/api/wallets/ID/transactions',
  '/api/wallets/ID/transactions?page=1&pageSize=100',
  '/api/wallets/ID/ledgers',
  '/v1/wallets/ID/stats',
  '/v1/wallets/ID/transactions',
  '/v1/wallets/ID/transactions?limit=1',
];
const SESSION_ROUTES: readonly (readonly [string, string])[] = [
  ...WALLET_ROUTES.map((path) => ['GET', path] as const),
  ['GET', '/api/wallets/user/USER'],
  ['GET', '/api/ledger'],
  ['POST', '/api/wallets'],
  ['POST', '/v1/onboarding'],
  ['POST', '/api/onboarding'],
  ['POST', '/v1/auth/logout'],
];

describe.each(WALLET_ROUTES)('GET %s', (route) => {
  const get = (id: string, token: string) => service.get(route.replace('ID', id), { token });

  it('answers the owner', async () => {
    expect((await get(ada.id, ada.owner.token)).status).toBe(200);
  });

  it('answers another tenant 404, with the same body as for a wallet that does not exist', async () => {
    const foreign = await get(ada.id, ben.owner.token);
    const unknown = await get(randomUUID(), ben.owner.token);
    const nonsense = await get('no-uuid', ben.owner.token);
    expect(foreign.status).toBe(404);
    expect(foreign.body).toEqual({ error: { code: 'WALLET_NOT_FOUND', message: expect.any(String) } });
    expect([unknown.status, unknown.text]).toEqual([404, foreign.text]);
    expect([nonsense.status, nonsense.text]).toEqual([404, foreign.text]);
    expect(foreign.text).not.toContain(ada.id);
  });
});

describe.each(SESSION_ROUTES)('%s %s', (method, route) => {
  const path = () => route.replace('ID', ada.id).replace('USER', ada.owner.id);

  it('answers nobody without a good session: the same 401 for every kind of bad one', async () => {
    const answers = await Promise.all(
      [undefined, 'x', ada.key, ben.key, `${ada.owner.token}x`].map((token) =>
        service.call(method, path(), {
          ...(token !== undefined && { token }),
          ...(method === 'POST' && { body: {} }),
        }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]?.text).toContain('UNAUTHORIZED');
  });
});

describe('another tenant', () => {
  it('can list no wallets of a user: 403 where the user exists, 404 where not', async () => {
    const foreign = await service.get(`/api/wallets/user/${ada.owner.id}`, { token: ben.owner.token });
    expect([foreign.status, foreign.body]).toEqual([
      403,
      { error: { code: 'FORBIDDEN', message: expect.any(String) } },
    ]);
    const unknown = await service.get(`/api/wallets/user/${randomUUID()}`, { token: ben.owner.token });
    expect([unknown.status, unknown.body]).toEqual([
      404,
      { error: { code: 'USER_NOT_FOUND', message: expect.any(String) } },
    ]);
  });

  it('can make no wallet for a user: 403, also for one that does not exist, and nothing is made', async () => {
    const count = () => service.query('SELECT 1 FROM wallets');
    const before = (await count()).length;
    for (const id of [ada.owner.id, randomUUID()]) {
      const { status, body } = await service.post('/api/wallets', {
        token: ben.owner.token,
        body: walletBody(id),
      });
      expect([status, body]).toEqual([403, { error: { code: 'FORBIDDEN', message: expect.any(String) } }]);
    }
    expect((await count()).length).toBe(before);
  });

  it('sees none of its entries in the global ledger', async () => {
    for (const [mine, other] of [
      [ada, ben],
      [ben, ada],
    ] as const) {
      const { body } = await service.get<PageOf<LedgerRow>>('/api/ledger', { token: mine.owner.token });
      expect(body.pagination.totalCount).toBe(2);
      expect(body.data.map(({ walletId }) => walletId)).not.toContain(other.id);
    }
  });

  it('cannot name a wallet of somebody else in a payment: the key alone says which pays', async () => {
    const before = await service.stats(ada);
    const { status } = await service.post('/api/payment-intent', {
      key: ben.key,
      token: ada.owner.token,
      body: paymentBody({ walletId: ada.id, wallet_id: ada.id }),
    });
    expect(status).toBe(201);
    expect(await service.stats(ada)).toEqual(before);
  });

  it('changes no business but its own', async () => {
    const [one, two] = [await service.signUp({ accountType: 'business' }), await service.signUp()];
    const body = {
      businessName: 'Taken over',
      contactEmail: 'x@example.com',
      businessId: one.businessId,
      userId: one.id,
    };
    await service.post('/v1/onboarding', { token: two.token, body });
    const [business] = await service.query<{ name: string }>('SELECT name FROM businesses WHERE id = $1', [
      one.businessId,
    ]);
    expect(business?.name).not.toBe('Taken over');
  });
});
