import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type CreatedWallet,
  expectStatus,
  type HistoryRow,
  type PageOf,
  paymentBody,
  startService,
  type TestService,
  UNKNOWN_KEY,
} from '../support/service.js';

const START = Date.parse('2027-03-01T00:00:00.000Z');
const HOUR_MS = 3_600_000;

let service: TestService;
beforeAll(async () => {
  service = await startService({ clock: true });
});
afterEach(() => service.setClock(null));
afterAll(() => service.close());

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const list = (wallet: CreatedWallet, query = '') =>
  service.get<PageOf<HistoryRow>>(`/api/payment-intent${query}`, { key: wallet.key });

describe('the key of a wallet as a bearer token', () => {
  it('pays, lists, reads one payment and the wallet, like x-api-key', async () => {
    const wallet = await service.fundedWallet(5_000);
    const headers = bearer(wallet.key);
    const paid = await service.post<{ data: { transaction: { id: string } } }>('/api/payment-intent', {
      headers,
      body: paymentBody(),
    });
    expect(paid.status).toBe(201);
    const { id } = paid.body.data.transaction;
    // Else the bank may have its say between two readings.
    await service.settled();
    const receipt = `/api/payment-intent/${id}/receipt`;
    for (const path of ['/api/payment-intent', `/api/payment-intent/${id}`, '/api/wallet', '/v1/banks']) {
      const [byToken, byKey] = [await service.get(path, { headers }), await service.get(path, wallet)];
      expect([path, byToken.status, byToken.text]).toEqual([path, 200, byKey.text]);
    }
    const body = { accountNumber: '0123456789', bankCode: '058' };
    expect((await service.post('/v1/accounts/resolve', { headers, body })).status).toBe(200);
    expect((await service.post('/api/payment-intent/quote', { headers, body: paymentBody() })).status).toBe(
      200,
    );
    // Signed at each reading, so that its time may differ.
    const [byToken, byKey] = [await service.get(receipt, { headers }), await service.get(receipt, wallet)];
    expect([byToken.status, byToken.body.data]).toEqual([
      200,
      { ...(byKey.body.data as object), receipt: expect.any(String) },
    ]);
  });

  it('is told from a session token by how it begins, where either is taken', async () => {
    const wallet = await service.createWallet();
    const status = async (headers: Record<string, string>) =>
      (await service.get('/v1/banks', { headers })).status;
    expect(await status(bearer(wallet.owner.token))).toBe(200);
    expect(await status(bearer(wallet.key))).toBe(200);
    expect(await status(bearer(UNKNOWN_KEY))).toBe(401);
    expect(await status(bearer('apw_live_short'))).toBe(401);
    expect(await status(bearer(`${wallet.owner.token}x`))).toBe(401);
    expect(await status({})).toBe(401);
  });

  it('is not looked at beside an x-api-key, and a session token is no key at all', async () => {
    const wallet = await service.fundedWallet(5_000);
    const answer = async (headers: Record<string, string>) =>
      (await service.get<{ error?: { code: string } }>('/api/wallet', { headers })).body.error?.code;
    expect(await answer({ 'x-api-key': UNKNOWN_KEY, ...bearer(wallet.key) })).toBe('INVALID_API_KEY');
    expect(await answer({ 'x-api-key': '', ...bearer(wallet.key) })).toBeUndefined();
    expect(await answer(bearer(wallet.owner.token))).toBe('MISSING_API_KEY');
    expect(await answer(bearer(UNKNOWN_KEY))).toBe('INVALID_API_KEY');
    expect(await answer(bearer('apw_live_short'))).toBe('INVALID_API_KEY');
    expect(await answer({ authorization: `Basic ${wallet.key}` })).toBe('MISSING_API_KEY');
    expect(await answer({})).toBe('MISSING_API_KEY');
  });

  it('opens nothing that is for owners', async () => {
    const wallet = await service.createWallet();
    for (const path of [
      `/api/wallets/${wallet.id}`,
      `/api/wallets/${wallet.id}/transactions`,
      '/v1/approvals',
    ]) {
      expect((await service.get(path, { headers: bearer(wallet.key) })).status).toBe(401);
    }
  });
});

describe('the attempts of a wallet, as its agent lists them', () => {
  /** An attempt an hour: of 1, 2 … 20 kobo, every third past the limit. */
  const withHistory = async (): Promise<CreatedWallet> => {
    const wallet = await service.fundedWallet(5_000, { spendLimitPerTx: 100 });
    for (let i = 1; i <= 20; i += 1) {
      await service.setClock(new Date(START + i * HOUR_MS));
      await service.pay(wallet.key, { amount: i % 3 === 0 ? 100 + i : i });
    }
    await service.setClock(null);
    return wallet;
  };
  const numbers = (rows: readonly HistoryRow[]) => rows.map(({ amount }) => amount % 100);
  const at = (i: number) => new Date(START + i * HOUR_MS).toISOString();

  it('are those that its owner sees, newest first and in pages', async () => {
    const wallet = await withHistory();
    await service.settled();
    for (const query of [
      '',
      '?page=2&pageSize=7',
      '?decision=blocked',
      '?decision=approved&pageSize=5&page=2',
    ]) {
      expect((await list(wallet, query)).body).toEqual(await service.history(wallet, query));
    }
    const other = await service.createWallet();
    expect((await list(other)).body.data).toEqual([]);
  });

  it('are narrowed to a time, whose beginning is in it and whose end is not', async () => {
    const wallet = await withHistory();
    const shown = async (query: string) => {
      const { data, pagination } = expectStatus(200, await list(wallet, query)).body;
      return [numbers(data), pagination.totalCount];
    };
    const between = `from=${at(5)}&to=${at(10)}`;
    expect(await shown(`?${between}`)).toEqual([[9, 8, 7, 6, 5], 5]);
    expect(await shown(`?${between}&decision=blocked`)).toEqual([[9, 6], 2]);
    expect(await shown(`?${between}&decision=approved`)).toEqual([[8, 7, 5], 3]);
    expect(await shown(`?${between}&decision=approved&pageSize=2&page=2`)).toEqual([[5], 3]);
    expect(await shown(`?${between}&pageSize=2&page=2`)).toEqual([[7, 6], 5]);
    expect(await shown(`?from=${at(19)}`)).toEqual([[20, 19], 2]);
    expect(await shown(`?to=${at(3)}`)).toEqual([[2, 1], 2]);
    expect(await shown(`?to=${at(1)}`)).toEqual([[], 0]);
    expect(await shown(`?from=${at(21)}`)).toEqual([[], 0]);
    expect(await shown(`?from=${at(10)}&to=${at(5)}`)).toEqual([[], 0]);
  });

  it.each(['decision=maybe', 'from=yesterday', 'to=2026-02-30T00:00:00Z', 'page=0', 'from=a&from=b'])(
    'are refused for %s',
    async (query) => {
      const wallet = await service.createWallet();
      const { status, body } = await service.get<{ success: boolean; code: string; errors: unknown[] }>(
        `/api/payment-intent?${query}`,
        { key: wallet.key },
      );
      expect([status, body.success, body.code, body.errors.length]).toEqual([
        400,
        false,
        'VALIDATION_ERROR',
        1,
      ]);
    },
  );
});

describe('the wallet of a key', () => {
  it('is shown with its limits and what they leave, and with nothing of its owner', async () => {
    const wallet = await service.fundedWallet(5_000, {
      useAllowlist: true,
      merchantAllowlist: ['Acme  Stores', 'Jumia'],
      periodWindowDays: 7,
      spendLimitPeriod: 200_000,
    });
    await service.pay(wallet.key, { amount: 1_500 });
    const { body } = expectStatus(200, await service.get('/api/wallet', { key: wallet.key }));
    expect(body).toEqual({
      success: true,
      data: {
        id: wallet.id,
        name: 'Research agent',
        purpose: null,
        status: 'ACTIVE',
        balance: 3_500,
        available: 3_500,
        spendLimitPerTx: 100_000,
        spendLimitPeriod: 200_000,
        periodWindowDays: 7,
        spentThisPeriod: 1_500,
        remainingAllowance: 198_500,
        expiry: wallet.expiry,
        expired: false,
        keyExpiresAt: null,
        useAllowlist: true,
        merchantAllowlist: ['Acme  Stores', 'Jumia'],
      },
    });
  });

  it('leaves nothing where the limit was lowered below what is spent, and says that it expired', async () => {
    const wallet = await service.fundedWallet(5_000);
    await service.pay(wallet.key, { amount: 2_000 });
    await service.query(
      `UPDATE wallets SET spend_limit_per_tx = 1, spend_limit_period = 1, expiry = clock_timestamp(), status = 'SUSPENDED'
        WHERE id = $1`,
      [wallet.id],
    );
    const { body } = await service.get<{ data: object }>('/api/wallet', { key: wallet.key });
    expect(body.data).toMatchObject({ remainingAllowance: 0, expired: true, status: 'SUSPENDED' });
  });
});
