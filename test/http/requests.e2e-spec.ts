import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  chargeBody,
  type CreatedWallet,
  FAR_AHEAD,
  PASSWORD,
  paymentBody,
  startService,
  type TestService,
  UNKNOWN_KEY,
  walletBody,
} from '../support/service.js';

const BYTE_ORDER_MARK = '\ufeff';

let service: TestService;
let wallet: CreatedWallet;
beforeAll(async () => {
  service = await startService();
  wallet = await service.fundedWallet(10_000_000);
});
afterAll(() => service.close());

/** A payment whose amount stands in the body as this text. */
const payText = (amount: string) =>
  service.post<{ errors?: { field: string }[]; data?: { transaction: { amount: number } } }>(
    '/api/payment-intent',
    {
      key: wallet.key,
      body: JSON.stringify(paymentBody({ amount: 0 })).replace('"amount":0', `"amount":${amount}`),
    },
  );

describe('a whole number', () => {
  it.each([
    ['1000', 1_000],
    ['1000.0', 1_000],
    ['1000.00000000000000000000', 1_000],
    ['1e3', 1_000],
    ['1E+3', 1_000],
    ['1.5e3', 1_500],
    ['100000e-2', 1_000],
  ])('is taken by its value: %s', async (text, amount) => {
    const { status, body } = await payText(text);
    expect([status, body.data?.transaction.amount]).toEqual([201, amount]);
  });

  it.each([
    '9007199254740991.4',
    '9007199254740990.6',
    '9007199254740992',
    '9007199254740993',
    '1000.00000000000000001',
    '999.99999999999999999999',
    '1000.5',
    '1e-400',
    '0.99999999999999999999',
    '1e400',
    '10000000000000000.1e-1',
    '-1',
    '0',
  ])('is refused, never rounded: %s', async (text) => {
    const { status, body } = await payText(text);
    expect([status, body.errors?.map(({ field }) => field)]).toEqual([400, ['amount']]);
  });

  it.each(['spendLimitPerTx', 'spendLimitPeriod', 'periodWindowDays'])(
    'of a wallet is judged so: %s',
    async (field) => {
      const body = { ...walletBody(wallet.owner.id), periodWindowDays: 30 } as Record<string, unknown>;
      const send = (text: string) =>
        service.post<{ error: { errors: { field: string }[] } }>('/api/wallets', {
          token: wallet.owner.token,
          body: JSON.stringify({ ...body, [field]: 0 }).replace(`"${field}":0`, `"${field}":${text}`),
        });
      const refused = await send('29.99999999999999999999');
      expect([refused.status, refused.body.error.errors.map((each) => each.field)]).toEqual([400, [field]]);
      const sound = field === 'periodWindowDays' ? '3.0e1' : '1000000.00';
      expect((await send(sound)).status).toBe(201);
    },
  );
});

describe('an expiry', () => {
  it.each([
    ['2099-05-01T10:00:00Z', '2099-05-01T10:00:00.000Z'],
    ['2099-05-01 10:00', '2099-05-01T10:00:00.000Z'],
    ['2099-05-01t10:00:00.123456z', '2099-05-01T10:00:00.123Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('is read from %s', async (expiry, expected) => {
    const made = await service.createWallet(wallet.owner, { expiry });
    expect(made.expiry).toBe(expected);
  });

  it.each([
    '2099-05-01',
    '2099-05-01T24:00:00Z',
    '2099-05-01T10:00:00+0100',
    '9999-12-31T23:59:59-00:01',
    4_081_000_000_000,
  ])('is not read from %s', async (expiry) => {
    const { status, text } = await service.post('/api/wallets', {
      token: wallet.owner.token,
      body: walletBody(wallet.owner.id, { expiry }),
    });
    expect([status, text]).toEqual([400, expect.stringContaining('"field":"expiry"')]);
  });
});

describe('a byte order mark', () => {
  it('before a body is skipped', async () => {
    const marked = (body: object) => BYTE_ORDER_MARK + JSON.stringify(body);
    const paid = await service.post('/api/payment-intent', { key: wallet.key, body: marked(paymentBody()) });
    const credited = await service.post('/api/webhooks', { body: marked(chargeBody(wallet.id)) });
    expect([paid.status, credited.status]).toEqual([201, 200]);
  });

  it('alone, or twice, is no JSON', async () => {
    for (const body of [BYTE_ORDER_MARK, `${BYTE_ORDER_MARK}${BYTE_ORDER_MARK}{}`]) {
      expect((await service.post('/api/payment-intent', { key: wallet.key, body })).status).toBe(400);
    }
  });
});

describe('the members of a body', () => {
  const unknown = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`unknown${i}`, { a: 1 }]));

  it('that the route does not know are dropped, up to 1,000 members in all', async () => {
    const known = Object.keys(paymentBody()).length;
    const body = { ...paymentBody(), ...unknown((1_000 - known) / 2) };
    expect((await service.post('/api/payment-intent', { key: wallet.key, body })).status).toBe(201);
    const more = { ...body, one: 1 };
    const { status, text } = await service.post('/api/payment-intent', { key: wallet.key, body: more });
    expect([status, text]).toEqual([400, expect.stringContaining('more than 1000 members')]);
  });

  it.each(['/v1/auth/signup', '/v1/auth/login', '/api/wallets', '/api/webhooks', '/v1/webhook-endpoints'])(
    'past 1,000 are refused with 400 at %s, whether they are known or not, and however deep',
    async (path) => {
      for (const body of [unknown(501), { data: [unknown(501)] }]) {
        expect((await service.post(path, { token: wallet.owner.token, body })).status).toBe(400);
      }
    },
  );

  it('are not inherited: a field that is missing stays missing', async () => {
    const { status } = await service.post('/v1/auth/signup', {
      body: { email: `${randomUUID()}@example.com`, password: PASSWORD, toString: 'x', hasOwnProperty: 'x' },
    });
    expect(status).toBe(400);
  });
});

describe('the order of refusals', () => {
  const bad = { merchantName: 7 };

  it('of a payment is: no key, a wrong key, the fields', async () => {
    const codes: unknown[] = [];
    for (const key of [undefined, '', 'apw_live_unknown', UNKNOWN_KEY, wallet.key]) {
      const { status, body } = await service.post<{ code: string }>('/api/payment-intent', {
        ...(key !== undefined && { key }),
        body: bad,
      });
      codes.push([status, body.code]);
    }
    expect(codes).toEqual([
      [401, 'MISSING_API_KEY'],
      [401, 'MISSING_API_KEY'],
      [401, 'INVALID_API_KEY'],
      [401, 'INVALID_API_KEY'],
      [400, 'VALIDATION_ERROR'],
    ]);
  });

  it('of a wallet is: the session, the fields, the owner, the rules', async () => {
    const body = { ...walletBody(randomUUID()), expiry: '2001-01-01T00:00:00Z' };
    const statuses: unknown[] = [];
    for (const [token, sent] of [
      [undefined, { ...body, name: '' }],
      [wallet.owner.token, { ...body, name: '' }],
      [wallet.owner.token, body],
      [wallet.owner.token, { ...body, userId: wallet.owner.id }],
      [wallet.owner.token, { ...body, userId: wallet.owner.id, expiry: FAR_AHEAD }],
    ] as const) {
      const answer = await service.post<{ error?: { code: string } }>('/api/wallets', {
        ...(token !== undefined && { token }),
        body: sent,
      });
      statuses.push(answer.body.error?.code ?? answer.status);
    }
    expect(statuses).toEqual(['UNAUTHORIZED', 'VALIDATION_ERROR', 'FORBIDDEN', 'EXPIRY_IN_PAST', 201]);
  });
});

describe('a page', () => {
  it('is at most 2,147,483,647', async () => {
    const status = async (page: string) =>
      (
        await service.get(`/api/wallets/${wallet.id}/transactions?page=${page}`, {
          token: wallet.owner.token,
        })
      ).status;
    expect(await status('2147483647')).toBe(200);
    for (const page of [
      '2147483648',
      '9007199254740993',
      '1e3',
      '1.0',
      '9'.repeat(400),
      '0',
      '-1',
      '+1',
      '%201',
    ]) {
      expect([page, await status(page)]).toEqual([page, 400]);
    }
  });

  it('of any size past 100 has 100', async () => {
    for (const pageSize of ['101', '2147483648', '9'.repeat(400)]) {
      const { body } = await service.get<{ pagination: { pageSize: number } }>(
        `/api/ledger?pageSize=${pageSize}`,
        { token: wallet.owner.token },
      );
      expect(body.pagination.pageSize).toBe(100);
    }
  });
});
