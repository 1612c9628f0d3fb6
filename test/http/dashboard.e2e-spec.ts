import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { readConfig } from '../../src/platform/config.js';
import { createService } from '../../src/bootstrap.js';
import { plainDatabase } from '../support/service-database.js';

let app: NestFastifyApplication;
let drop: () => Promise<void>;

beforeAll(async () => {
  const database = await plainDatabase();
  drop = database.drop;
  app = await createService({
    config: readConfig({ NODE_ENV: 'test' }),
    databaseUrl: database.url,
    jwtSecret: 'a secret that signs the session tokens of the tests',
    logger: false,
    singleInstance: true,
  });
});

afterAll(async () => {
  await app.close();
  await drop();
});

interface Sent {
  method?: 'GET' | 'POST';
  body?: object;
  headers?: Record<string, string>;
}

function send(url: string, { method = 'GET', body, headers = {} }: Sent = {}) {
  return app.inject({ method, url, headers, ...(body && { payload: body }) });
}

async function signUp(headers: Record<string, string> = {}) {
  const body = { email: `${randomUUID()}@example.com`, password: 'correct horse', accountType: 'developer' };
  const answer = await send('/v1/auth/signup', { method: 'POST', body, headers });
  const { user, token } = answer.json<{ data: { user: { id: string }; token: string } }>().data;
  return { answer, id: user.id, token, bearer: { authorization: `Bearer ${token}` } };
}

async function walletOf(user: Awaited<ReturnType<typeof signUp>>) {
  const created = await send('/api/wallets', {
    method: 'POST',
    headers: user.bearer,
    body: {
      name: 'Errands',
      userId: user.id,
      spendLimitPerTx: 1_000,
      spendLimitPeriod: 1_000_000,
      expiry: '2099-01-01T00:00:00Z',
    },
  });
  const { wallet, apiKey } = created.json<{ data: { wallet: { id: string }; apiKey: { fullKey: string } } }>()
    .data;
  const fund = (amount: number, narration = 'float') =>
    send('/api/webhooks', {
      method: 'POST',
      body: {
        event: 'charge.success',
        data: {
          reference: randomUUID(),
          amount,
          currency: 'NGN',
          narration,
          virtual_bank_account: { account_reference: wallet.id },
        },
      },
    });
  const pay = (amount: number, merchantName = 'Shoprite') =>
    send('/api/payment-intent', {
      method: 'POST',
      headers: { 'x-api-key': apiKey.fullKey },
      body: { amount, merchantName, recipientAccountNo: '0123456789', recipientBankCode: '058' },
    });
  return { id: wallet.id, fund, pay };
}

describe('a session in a cookie', () => {
  it('is given only to a request that asks for it, out of reach of scripts and other sites', async () => {
    expect((await signUp()).answer.headers['set-cookie']).toBeUndefined();
    const { answer, token } = await signUp({ 'x-session': 'cookie' });
    expect(answer.headers['set-cookie']).toBe(
      `session=${token}; Max-Age=604800; Path=/; HttpOnly; SameSite=Strict`,
    );
  });

  it('reads without an Authorization header, which goes before it', async () => {
    const { token, id } = await signUp();
    const cookie = `theme=dark; session=${token}`;
    const answer = await send('/v1/auth/session', { headers: { cookie } });
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({ status: 'success', data: { user: { id } } });
    const spoilt = await send('/v1/auth/session', { headers: { cookie, authorization: 'Bearer nothing' } });
    expect(spoilt.statusCode).toBe(401);
  });

  it.each([
    ['the same origin', { 'sec-fetch-site': 'same-origin' }, 201],
    ['the address bar', { 'sec-fetch-site': 'none' }, 201],
    ['a sister site', { 'sec-fetch-site': 'same-site' }, 403],
    ['another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['an old browser, same origin', { origin: 'http://wallet.test', host: 'wallet.test' }, 201],
    ['an old browser, another origin', { origin: 'http://evil.test', host: 'wallet.test' }, 403],
    ['a sandboxed frame', { origin: 'null', host: 'wallet.test' }, 403],
    ['who knows', {}, 403],
  ])('changes something when %s asks: see the status', async (_, headers, status) => {
    const { token } = await signUp();
    const answer = await send('/v1/onboarding', {
      method: 'POST',
      headers: { cookie: `session=${token}`, ...headers },
      body: { businessName: 'Kudi Ltd', contactEmail: 'kudi@example.com' },
    });
    expect(answer.statusCode).toBe(status);
  });

  it.each(['logout', 'logout-everywhere'])(
    'ends with the session by %s, and is taken back',
    async (route) => {
      const { token } = await signUp();
      const headers = { cookie: `session=${token}`, 'sec-fetch-site': 'same-origin' };
      const answer = await send(`/v1/auth/${route}`, { method: 'POST', headers });
      expect(answer.statusCode).toBe(200);
      expect(answer.headers['set-cookie']).toBe('session=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict');
      expect((await send('/v1/auth/session', { headers })).statusCode).toBe(401);
    },
  );
});

describe('what the dashboard reads', () => {
  it('narrows the history by decision, page by page, with true totals', async () => {
    const user = await signUp();
    const wallet = await walletOf(user);
    await wallet.fund(100);
    const amounts = [100, 2_000, 101, 102, 2_001, 2_002, 103, 104, 2_003];
    for (const amount of amounts) await wallet.pay(amount);
    const list = async (query: string) => {
      const url = `/api/wallets/${wallet.id}/transactions?${query}`;
      const { data, pagination } = (await send(url, { headers: user.bearer })).json<{
        data: { amount: number }[];
        pagination: { totalCount: number };
      }>();
      return [pagination.totalCount, ...data.map(({ amount }) => amount)];
    };
    expect(await list('decision=approved&pageSize=2')).toEqual([5, 104, 103]);
    expect(await list('decision=approved&pageSize=2&page=2')).toEqual([5, 102, 101]);
    expect(await list('decision=approved&pageSize=2&page=3')).toEqual([5, 100]);
    expect(await list('decision=approved&pageSize=2&page=4')).toEqual([5]);
    expect(await list('decision=blocked&pageSize=3')).toEqual([4, 2_003, 2_002, 2_001]);
    expect(await list('decision=blocked&pageSize=3&page=2')).toEqual([4, 2_000]);
    expect(await list('pageSize=100')).toEqual([9, ...amounts.toReversed()]);
    const wrong = await send(`/api/wallets/${wallet.id}/transactions?decision=maybe`, {
      headers: user.bearer,
    });
    expect(wrong.statusCode).toBe(400);
  });

  it('counts spend and attempts by day, of one wallet and of all', async () => {
    const user = await signUp();
    const [first, second] = [await walletOf(user), await walletOf(user)];
    for (const wallet of [first, second]) {
      await wallet.fund(100);
      await wallet.pay(500);
      await wallet.pay(5_000);
    }
    const days = async (url: string) =>
      (await send(url, { headers: user.bearer })).json<{ data: object[] }>().data;
    const one = await days(`/v1/wallets/${first.id}/spend-by-day?days=7&timeZone=Africa/Lagos`);
    expect(one).toHaveLength(7);
    expect(one.at(-1)).toMatchObject({ spent: 500, approved: 1, blocked: 1 });
    expect(one.at(0)).toMatchObject({ spent: 0, approved: 0, blocked: 0 });
    expect((await days('/v1/spend-by-day')).at(-1)).toMatchObject({ spent: 1_000, approved: 2, blocked: 2 });
    expect(await days('/v1/stats')).toMatchObject([
      { walletId: second.id, balance: 9_500, spentThisPeriod: 500, remainingAllowance: 999_500 },
      { walletId: first.id, balance: 9_500, spentThisPeriod: 500, remainingAllowance: 999_500 },
    ]);
    expect(await days('/v1/transactions?limit=3')).toMatchObject([
      { walletId: second.id, amount: 5_000, decision: 'blocked' },
      { walletId: second.id, amount: 500, decision: 'approved' },
      { walletId: first.id, amount: 5_000 },
    ]);
    for (const query of ['timeZone=Nowhere/City', 'timeZone=%27', 'days=0', 'days=367']) {
      const answer = await send(`/v1/spend-by-day?${query}`, { headers: user.bearer });
      expect([query, answer.statusCode]).toEqual([query, 400]);
    }
    const other = await signUp();
    const foreign = await send(`/v1/wallets/${first.id}/spend-by-day`, { headers: other.bearer });
    expect(foreign.statusCode).toBe(404);
  });

  it('shows one attempt with its checks, and its ledger entries', async () => {
    const user = await signUp();
    const wallet = await walletOf(user);
    await wallet.fund(100);
    const paid = await wallet.pay(500);
    const { id } = paid.json<{ data: { transaction: { id: string } } }>().data.transaction;
    const attempt = await send(`/v1/wallets/${wallet.id}/transactions/${id}`, { headers: user.bearer });
    expect(attempt.json()).toMatchObject({ success: true, data: { id, settlement: { reference: id } } });
    const missing = await send(`/v1/wallets/${wallet.id}/transactions/${randomUUID()}`, {
      headers: user.bearer,
    });
    expect(missing.json()).toMatchObject({ error: { code: 'TRANSACTION_NOT_FOUND' } });
    const entries = await send(`/api/wallets/${wallet.id}/ledgers?transactionId=${id}`, {
      headers: user.bearer,
    });
    expect(entries.json()).toMatchObject({
      data: [{ type: 'debit', amount: 500, transactionId: id }],
      pagination: { totalCount: 1 },
    });
  });

  it('downloads CSV that no spreadsheet runs', async () => {
    const user = await signUp();
    const wallet = await walletOf(user);
    await wallet.fund(100, '=HYPERLINK("http://evil.test")');
    await wallet.pay(501, '@SUM(1,2)');
    const ledger = await send(`/api/wallets/${wallet.id}/ledgers.csv`, { headers: user.bearer });
    expect(ledger.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="ledger-${wallet.id}.csv"`,
    });
    const [head, debit, topup, end] = ledger.body.split('\r\n');
    expect(head).toBe(
      '\ufeffid,created_at (UTC),type,amount_ngn,amount_kobo,balance_after_ngn,balance_after_kobo,transaction_id,reference,narration',
    );
    expect(debit).toContain(',debit,5.01,501,94.99,9499,');
    expect(topup).toContain(`,"'=HYPERLINK(""http://evil.test"")"`);
    expect(end).toBe('');
    const attempts = await send(`/api/wallets/${wallet.id}/transactions.csv`, { headers: user.bearer });
    expect(attempts.body).toContain(`,approved,,5.01,501,"'@SUM(1,2)","=""0123456789""","=""058""",,`);
    const foreign = await send(`/api/wallets/${wallet.id}/ledgers.csv`, {
      headers: (await signUp()).bearer,
    });
    expect(foreign.json()).toMatchObject({ error: { code: 'WALLET_NOT_FOUND' } });
  });

  it('reads the business of the user', async () => {
    const { bearer } = await signUp();
    expect((await send('/v1/business', { headers: bearer })).json()).toEqual({ success: true, data: null });
    const body = { businessName: 'Kudi Ltd', contactEmail: 'kudi@example.com' };
    await send('/v1/onboarding', { method: 'POST', headers: bearer, body });
    const read = await send('/v1/business', { headers: bearer });
    expect(read.json()).toMatchObject({ data: { name: 'Kudi Ltd', contactPhone: null } });
  });
});
