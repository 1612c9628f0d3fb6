import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Bank } from '../../src/contexts/bank/bank.port.js';
import { brokenInvariants } from '../support/invariants.js';
import {
  type CreatedWallet,
  expectStatus,
  FAR_AHEAD,
  paymentBody,
  startService,
  type TestService,
  UNKNOWN_KEY,
} from '../support/service.js';

const MAX = Number.MAX_SAFE_INTEGER;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const DAY_MS = 24 * 60 * 60 * 1_000;

let service: TestService;
beforeAll(async () => {
  service = await startService({ clock: true });
});
afterEach(() => service.setClock(null));
afterAll(async () => {
  const broken = await brokenInvariants(service);
  await service.close();
  expect(broken).toEqual({});
});

const count = async (walletId: string): Promise<number> =>
  (await service.query('SELECT 1 FROM transactions WHERE wallet_id = $1', [walletId])).length;

describe('an approved payment', () => {
  it('is answered 201 with the transaction and the reference of its settlement', async () => {
    const wallet = await service.fundedWallet(5_000);
    const { status, body } = await service.pay(wallet.key, {
      merchantName: '  Acme Stores ',
      reason: 'Paper',
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      success: true,
      data: {
        transaction: {
          id: expect.stringMatching(UUID),
          walletId: wallet.id,
          amount: 1_000,
          merchantName: 'Acme Stores',
          recipientAccountNo: '0123456789',
          recipientBankCode: '058',
          decision: 'approved',
          reason: 'Paper',
          blockReason: null,
          createdAt: expect.stringMatching(INSTANT),
        },
        settlement: { reference: expect.any(String) },
      },
    });
  });

  it('takes exactly its amount from the balance, and writes one debit under the settlement reference', async () => {
    const wallet = await service.fundedWallet(5_000);
    const { body } = await service.pay(wallet.key, { amount: 1_234 });
    expect((await service.stats(wallet)).balance).toBe(3_766);
    const { data } = await service.ledger(wallet);
    expect(data.map(({ type, amount, balanceAfter }) => [type, amount, balanceAfter])).toEqual([
      ['debit', 1_234, 3_766],
      ['topup', 5_000, 5_000],
    ]);
    expect(data[0]).toMatchObject({
      transactionId: body.data.transaction.id,
      reference: body.data.settlement.reference,
      narration: null,
    });
  });

  it('takes the fields of the intent alone: what else is in the body is dropped', async () => {
    const wallet = await service.fundedWallet(5_000);
    const { status, body } = await service.pay(wallet.key, {
      walletId: randomUUID(),
      decision: 'blocked',
      blockReason: 'WALLET_EXPIRED',
      balance: 1,
      id: randomUUID(),
    });
    expect(status).toBe(201);
    expect(body.data.transaction).toMatchObject({
      walletId: wallet.id,
      decision: 'approved',
      blockReason: null,
    });
  });

  it('takes null for an absent reason', async () => {
    const wallet = await service.fundedWallet(5_000);
    const { body } = await service.pay(wallet.key, { reason: null });
    expect(body.data.transaction.reason).toBeNull();
  });

  it('makes the merchant known under the name first supplied, and a blocked one does not', async () => {
    const wallet = await service.fundedWallet(5_000);
    await service.pay(wallet.key, { merchantName: 'Acme  STORES' });
    await service.pay(wallet.key, { merchantName: 'acme stores' });
    await service.pay(wallet.key, { merchantName: 'Unpaid', amount: 50_000 });
    const { body } = await service.get<{ data: { merchants: unknown } }>(`/api/wallets/${wallet.id}`, {
      token: wallet.owner.token,
    });
    expect(body.data.merchants).toEqual([{ id: expect.stringMatching(UUID), name: 'Acme  STORES' }]);
  });
});

describe('a blocked payment', () => {
  const blocked = async (
    code: string,
    status: number,
    wallet: CreatedWallet,
    fields: Record<string, unknown> = {},
  ): Promise<void> => {
    const before = await service.query<{ balance: string }>('SELECT balance FROM wallets WHERE id = $1', [
      wallet.id,
    ]);
    const answer = await service.pay(wallet.key, { reason: 'Why', ...fields });
    expect([answer.status, answer.body]).toEqual([
      status,
      {
        success: false,
        message: expect.any(String),
        code,
        transactionId: expect.stringMatching(UUID),
        maxAmountNow: expect.any(Number),
        earliestPassAt: answer.body.earliestPassAt === null ? null : expect.stringMatching(INSTANT),
        hint: expect.any(String),
      },
    ]);
    const [stored] = await service.query(
      'SELECT id, block_reason, reason FROM transactions WHERE wallet_id = $1 ORDER BY seq DESC',
      [wallet.id],
    );
    expect(stored).toEqual({ id: answer.body.transactionId, block_reason: code, reason: 'Why' });
    expect(await service.query('SELECT balance FROM wallets WHERE id = $1', [wallet.id])).toEqual(before);
  };

  it('is stored with WALLET_INACTIVE and answered 403 when the wallet is not active', async () => {
    const wallet = await service.fundedWallet(5_000);
    await service.query(`UPDATE wallets SET status = 'SUSPENDED' WHERE id = $1`, [wallet.id]);
    await blocked('WALLET_INACTIVE', 403, wallet);
  });

  it('is answered 403 SPEND_LIMIT_PER_TX_EXCEEDED one kobo above the limit of a payment, and passes at it', async () => {
    const wallet = await service.fundedWallet(5_000, { spendLimitPerTx: 500 });
    await blocked('SPEND_LIMIT_PER_TX_EXCEEDED', 403, wallet, { amount: 501 });
    expect((await service.pay(wallet.key, { amount: 500 })).status).toBe(201);
    expect((await service.pay(wallet.key, { amount: 499 })).status).toBe(201);
  });

  it('is answered 403 SPEND_LIMIT_PER_PERIOD_EXCEEDED one kobo above what the period leaves, and passes at it', async () => {
    const wallet = await service.fundedWallet(5_000, { spendLimitPerTx: 500, spendLimitPeriod: 800 });
    await service.pay(wallet.key, { amount: 500 });
    await blocked('SPEND_LIMIT_PER_PERIOD_EXCEEDED', 403, wallet, { amount: 301 });
    expect((await service.pay(wallet.key, { amount: 299 })).status).toBe(201);
    await blocked('SPEND_LIMIT_PER_PERIOD_EXCEEDED', 403, wallet, { amount: 2 });
    expect((await service.pay(wallet.key, { amount: 1 })).status).toBe(201);
    await blocked('SPEND_LIMIT_PER_PERIOD_EXCEEDED', 403, wallet, { amount: 1 });
  });

  it('is answered 403 MERCHANT_NOT_ALLOWED when the merchant is not on the list', async () => {
    const wallet = await service.fundedWallet(5_000, {
      useAllowlist: true,
      merchantAllowlist: ['Acme Stores'],
    });
    await blocked('MERCHANT_NOT_ALLOWED', 403, wallet, { merchantName: '\u0410cme Stores' });
  });

  it('is answered 402 INSUFFICIENT_FUNDS one kobo above the balance, and passes at it', async () => {
    const wallet = await service.fundedWallet(1_000);
    await blocked('INSUFFICIENT_FUNDS', 402, wallet, { amount: 1_001 });
    expect((await service.pay(wallet.key, { amount: 999 })).status).toBe(201);
    expect((await service.pay(wallet.key, { amount: 1 })).status).toBe(201);
    await blocked('INSUFFICIENT_FUNDS', 402, wallet, { amount: 1 });
  });

  it('does not count in the period', async () => {
    const wallet = await service.fundedWallet(400, { spendLimitPerTx: 500, spendLimitPeriod: 500 });
    await blocked('INSUFFICIENT_FUNDS', 402, wallet, { amount: 500 });
    expect(await service.stats(wallet)).toMatchObject({ spentThisPeriod: 0, remainingAllowance: 500 });
    expect((await service.pay(wallet.key, { amount: 400 })).status).toBe(201);
  });

  it('names the first check that fails, in the order of the specification', async () => {
    const wallet = await service.createWallet(undefined, {
      spendLimitPerTx: 500,
      spendLimitPeriod: 500,
      useAllowlist: true,
      merchantAllowlist: ['Other'],
    });
    const set = (assignment: string) =>
      service.query(`UPDATE wallets SET ${assignment} WHERE id = $1`, [wallet.id]);
    const code = async (amount: number, merchantName = 'Acme') =>
      (await service.pay(wallet.key, { amount, merchantName })).body.code;
    await set(`status = 'SUSPENDED', expiry = '2020-01-01'`);
    expect(await code(501)).toBe('WALLET_INACTIVE');
    await set(`status = 'ACTIVE'`);
    expect(await code(501)).toBe('WALLET_EXPIRED');
    await set(`expiry = '2099-01-01'`);
    expect(await code(501)).toBe('SPEND_LIMIT_PER_TX_EXCEEDED');
    await set(`spend_limit_period = 600, spend_limit_per_tx = 600`);
    expect(await code(601)).toBe('SPEND_LIMIT_PER_TX_EXCEEDED');
    expect(await code(600)).toBe('MERCHANT_NOT_ALLOWED');
    await service.topUp(wallet.id, 200);
    expect((await service.pay(wallet.key, { amount: 200, merchantName: ' OTHER ' })).status).toBe(201);
    expect(await code(401)).toBe('SPEND_LIMIT_PER_PERIOD_EXCEEDED');
    expect(await code(400)).toBe('MERCHANT_NOT_ALLOWED');
    expect(await code(400, 'other')).toBe('INSUFFICIENT_FUNDS');
  });
});

describe('an allowlist', () => {
  it('is compared by identity: case, white space and compatible letters do not count', async () => {
    const wallet = await service.fundedWallet(50_000, {
      useAllowlist: true,
      merchantAllowlist: ['Amazon Web Services', 'Café', 'Fiverr'],
    });
    for (const merchantName of [
      'amazon web services',
      '  AMAZON   WEB\u3000SERVICES\t',
      'Amazon\u00a0Web Services',
      'Cafe\u0301',
      'CAFÉ',
      'ﬁverr',
      'ＦＩＶＥＲＲ',
    ]) {
      expect([merchantName, (await service.pay(wallet.key, { merchantName })).status]).toEqual([
        merchantName,
        201,
      ]);
    }
    for (const merchantName of [
      'Amazon',
      'amazonwebservices',
      '\u0410mazon Web Services',
      'Cafe',
      'Fiverr.',
    ]) {
      expect([merchantName, (await service.pay(wallet.key, { merchantName })).body.code]).toEqual([
        merchantName,
        'MERCHANT_NOT_ALLOWED',
      ]);
    }
  });
});

describe('time', () => {
  const START = new Date('2026-03-01T00:00:00.000Z');
  const after = (ms: number) => new Date(START.getTime() + ms);

  it('blocks from the very instant of the expiry, and not a millisecond earlier', async () => {
    await service.setClock(START);
    const wallet = await service.fundedWallet(5_000, { expiry: after(10_000).toISOString() });
    await service.setClock(after(9_999));
    expect((await service.pay(wallet.key)).status).toBe(201);
    await service.setClock(after(10_000));
    expect((await service.pay(wallet.key)).body.code).toBe('WALLET_EXPIRED');
    await service.setClock(after(10_001));
    expect((await service.pay(wallet.key)).body.code).toBe('WALLET_EXPIRED');
  });

  it.each([1, 30])(
    'lets a payment out of a window of %d days exactly that many times 24 hours later',
    async (periodWindowDays) => {
      const limits = { spendLimitPerTx: 1_000, spendLimitPeriod: 1_000, periodWindowDays };
      await service.setClock(START);
      const wallet = await service.fundedWallet(5_000, limits);
      expect((await service.pay(wallet.key, { amount: 1_000 })).status).toBe(201);
      await service.query(`UPDATE sessions SET expires_at = '2099-01-01'`);
      await service.setClock(after(periodWindowDays * DAY_MS - 1));
      expect((await service.pay(wallet.key, { amount: 1 })).body.code).toBe(
        'SPEND_LIMIT_PER_PERIOD_EXCEEDED',
      );
      expect(await service.stats(wallet)).toMatchObject({ spentThisPeriod: 1_000, remainingAllowance: 0 });
      await service.setClock(after(periodWindowDays * DAY_MS));
      expect(await service.stats(wallet)).toMatchObject({ spentThisPeriod: 0, remainingAllowance: 1_000 });
      expect((await service.pay(wallet.key, { amount: 1_000 })).status).toBe(201);
    },
  );

  it('leaves a refunded payment out of the window, before, at and after the instant it leaves it', async () => {
    await service.settled();
    const bank = service.app.get(Bank, { strict: false });
    // As often as it is asked, as a bank does for one reference.
    const startPayout = jest
      .spyOn(bank, 'startPayout')
      .mockResolvedValue({ kind: 'failed', reason: 'closed' });
    await service.setClock(START);
    const wallet = await service.fundedWallet(5_000, { periodWindowDays: 1 });
    await service.query(`UPDATE sessions SET expires_at = '2099-01-01'`);
    await service.pay(wallet.key, { amount: 1_000 });
    await service.settled();
    startPayout.mockRestore();
    await service.setClock(after(1));
    await service.pay(wallet.key, { amount: 10 });
    const seen: number[] = [];
    for (const ms of [0, 1, 2].map((each) => DAY_MS - 1 + each)) {
      await service.setClock(after(ms));
      seen.push((await service.stats(wallet)).spentThisPeriod);
    }
    expect(seen).toEqual([10, 10, 0]);
    expect((await service.stats(wallet)).balance).toBe(4_990);
  });

  it('lets all that was paid in one millisecond out of the window together', async () => {
    await service.setClock(START);
    const limits = { periodWindowDays: 1, spendLimitPerTx: 1_000, spendLimitPeriod: 1_000 };
    const wallet = await service.fundedWallet(5_000, limits);
    await service.query(`UPDATE sessions SET expires_at = '2099-01-01'`);
    for (const amount of [300, 700]) expect((await service.pay(wallet.key, { amount })).status).toBe(201);
    const [last, first] = (await service.history(wallet)).data;
    expect(last?.createdAt).toBe(first?.createdAt);
    await service.setClock(after(DAY_MS));
    expect(await service.stats(wallet)).toMatchObject({ spentThisPeriod: 0, remainingAllowance: 1_000 });
    expect((await service.pay(wallet.key, { amount: 1_000 })).status).toBe(201);
  });

  it('rolls: payments leave the window one after the other', async () => {
    await service.setClock(START);
    const wallet = await service.fundedWallet(5_000, { periodWindowDays: 1, spendLimitPeriod: 100_000 });
    await service.query(`UPDATE sessions SET expires_at = '2099-01-01'`);
    for (let hour = 0; hour < 5; hour += 1) {
      await service.setClock(after(hour * 3_600_000));
      await service.pay(wallet.key, { amount: 2 ** hour });
    }
    const seen: number[] = [];
    for (let hour = 23; hour < 30; hour += 1) {
      await service.setClock(after(hour * 3_600_000));
      seen.push((await service.stats(wallet)).spentThisPeriod);
    }
    expect(seen).toEqual([31, 30, 28, 24, 16, 0, 0]);
  });

  it('is decided on what the window holds now, while payments leave it and one of them is refunded', async () => {
    await service.settled();
    const bank = service.app.get(Bank, { strict: false });
    await service.setClock(START);
    const wallet = await service.fundedWallet(5_000, { periodWindowDays: 1, spendLimitPeriod: 100_000 });
    await service.query(`UPDATE sessions SET expires_at = '2099-01-01'`);
    const decidedOn = async (amount: number): Promise<number> => {
      await service.pay(wallet.key, { amount });
      const [newest] = (await service.history(wallet)).data;
      return (newest!.auditEvents[3]!.detail['actual'] as number) - amount;
    };
    const seen: number[] = [];
    for (let hour = 0; hour < 5; hour += 1) {
      await service.setClock(after(hour * 3_600_000));
      const startPayout = jest.spyOn(bank, 'startPayout');
      if (hour === 2) startPayout.mockResolvedValue({ kind: 'failed', reason: 'closed' });
      seen.push(await decidedOn(2 ** hour));
      await service.settled();
      startPayout.mockRestore();
    }
    // The third, of 4 kobo, was refunded.
    expect(seen).toEqual([0, 1, 3, 3, 11]);
    for (let hour = 23; hour < 30; hour += 1) {
      await service.setClock(after(hour * 3_600_000));
      const { spentThisPeriod } = await service.stats(wallet);
      expect(await decidedOn(1)).toBe(spentThisPeriod);
      seen.push(spentThisPeriod);
    }
    expect(seen.slice(5)).toEqual([27, 27, 26, 27, 20, 5, 6]);
  });

  it('counts by the length of the window as it is, not as it was when the key was last used', async () => {
    await service.setClock(START);
    const wallet = await service.fundedWallet(5_000, {
      periodWindowDays: 1,
      spendLimitPerTx: 1_000,
      spendLimitPeriod: 1_000,
    });
    expect((await service.pay(wallet.key, { amount: 600 })).status).toBe(201);
    await service.setClock(after(2 * DAY_MS));
    await service.query('UPDATE wallets SET period_window_days = 3 WHERE id = $1', [wallet.id]);
    expect((await service.pay(wallet.key, { amount: 401 })).body.code).toBe(
      'SPEND_LIMIT_PER_PERIOD_EXCEEDED',
    );
    expect((await service.pay(wallet.key, { amount: 400 })).status).toBe(201);
    await service.query('UPDATE wallets SET period_window_days = 1 WHERE id = $1', [wallet.id]);
    expect((await service.pay(wallet.key, { amount: 601 })).body.code).toBe(
      'SPEND_LIMIT_PER_PERIOD_EXCEEDED',
    );
    expect((await service.pay(wallet.key, { amount: 600 })).status).toBe(201);
  });

  it('never runs back in the history of a wallet, though the clock of the database does', async () => {
    await service.setClock(START);
    const wallet = await service.fundedWallet(5_000);
    await service.pay(wallet.key, { amount: 1 });
    await service.setClock(after(-60_000));
    await service.pay(wallet.key, { amount: 2 });
    await service.topUp(wallet.id, 3);
    await service.pay(wallet.key, { amount: 4 });
    await service.setClock(after(10_000));
    await service.pay(wallet.key, { amount: 8 });
    await service.setClock(after(5_000));
    await service.pay(wallet.key, { amount: 16 });
    const { data } = await service.history(wallet);
    const times = data.map(({ createdAt }) => createdAt);
    expect(data.map(({ amount }) => amount)).toEqual([16, 8, 4, 2, 1]);
    expect([...times].sort().reverse()).toEqual(times);
    expect((await service.stats(wallet)).spentThisPeriod).toBe(31);
  });
});

describe('the key', () => {
  it.each([
    ['absent', undefined, 'MISSING_API_KEY'],
    ['empty', '', 'MISSING_API_KEY'],
    ['of no wallet', `apw_live_${'a'.repeat(43)}`, 'INVALID_API_KEY'],
    ['no key at all', 'x', 'INVALID_API_KEY'],
    ['very long', 'k'.repeat(8_000), 'INVALID_API_KEY'],
    ['SQL', `' OR 1=1 --`, 'INVALID_API_KEY'],
  ])('that is %s is answered 401 %s', async (_, key, code) => {
    const answer = await service.post('/api/payment-intent', {
      ...(key !== undefined && { key }),
      body: paymentBody(),
    });
    expect([answer.status, answer.body]).toEqual([
      401,
      { success: false, message: expect.any(String), code },
    ]);
  });

  it('counts exactly as it was given', async () => {
    const { key } = await service.fundedWallet(5_000);
    for (const wrong of [
      key.slice(0, 16),
      key.slice(0, -1),
      `${key}x`,
      key.toUpperCase(),
      `${key}, ${key}`,
    ]) {
      expect((await service.pay(wrong)).body.code).toBe('INVALID_API_KEY');
    }
    expect((await service.pay(key)).status).toBe(201);
  });

  it('is looked at before the body is, and a bad body after it stores nothing', async () => {
    const { key, id } = await service.fundedWallet(5_000);
    for (const wrong of ['apw_live_wrong', UNKNOWN_KEY])
      expect((await service.pay(wrong, { amount: 'x' })).body.code).toBe('INVALID_API_KEY');
    expect((await service.post('/api/payment-intent', { body: {} })).body).toMatchObject({
      code: 'MISSING_API_KEY',
    });
    expect((await service.pay(key, { amount: 'x' })).body.code).toBe('VALIDATION_ERROR');
    expect(await count(id)).toBe(0);
  });

  it('is no session token, and a session token is no key', async () => {
    const { key, id, owner } = await service.fundedWallet(5_000);
    expect((await service.get(`/api/wallets/${id}`, { token: key })).status).toBe(401);
    expect((await service.pay(owner.token)).body.code).toBe('INVALID_API_KEY');
  });

  it('pays nothing once it is revoked', async () => {
    const { key, id } = await service.fundedWallet(5_000);
    await service.query('UPDATE api_keys SET revoked_at = now() WHERE wallet_id = $1', [id]);
    expect((await service.pay(key)).body.code).toBe('INVALID_API_KEY');
  });
});

describe('the body', () => {
  let wallet: CreatedWallet;
  beforeAll(async () => {
    wallet = await service.fundedWallet(100, { spendLimitPerTx: MAX, spendLimitPeriod: MAX });
  });
  const sent = async (fields: Record<string, unknown>) => {
    const { status, body } = await service.pay(wallet.key, fields);
    return body.code === 'VALIDATION_ERROR'
      ? [status, body.errors?.map(({ field }) => field)]
      : 'well formed';
  };

  it.each([1, MAX - 1, MAX, 2_147_483_647, 2_147_483_648])('may name the amount %d', async (amount) => {
    expect(await sent({ amount })).toBe('well formed');
  });

  it.each([0, -1, -0, 1.5, 0.1, MAX + 1, 1e21, '100', [100], true, null, {}, undefined])(
    'may not name the amount %j',
    async (amount) => {
      expect(await sent({ amount })).toEqual([400, ['amount']]);
    },
  );

  it('may write a whole amount as JSON allows', async () => {
    const text = JSON.stringify(paymentBody({ amount: 0 }));
    for (const amount of ['1.0', '1e0', '10e-1', '1E+0']) {
      const body = text.replace('"amount":0', `"amount":${amount}`);
      expect((await service.post('/api/payment-intent', { key: wallet.key, body })).status).toBe(201);
    }
    for (const amount of ['9007199254740993', '9007199254740992', '1e400', '-1e400']) {
      const body = text.replace('"amount":0', `"amount":${amount}`);
      expect((await service.post('/api/payment-intent', { key: wallet.key, body })).status).toBe(400);
    }
  });

  it.each([
    ['ab', false],
    ['abc', true],
    ['  abc  ', true],
    ['  ab  ', false],
    ['😀😀', false],
    ['😀😀😀', true],
    ['a'.repeat(199), true],
    ['a'.repeat(200), true],
    [` ${'a'.repeat(200)} `, true],
    ['a'.repeat(201), false],
    ['😀'.repeat(200), true],
    ['😀'.repeat(201), false],
    ['   ', false],
    ['', false],
    ['abc\u0000', false],
    ['abc\ud800', false],
    [123, false],
    [['abc'], false],
    [null, false],
    [undefined, false],
  ])('with the merchant %j is well formed: %s', async (merchantName, isSound) => {
    expect(await sent({ merchantName })).toEqual(isSound ? 'well formed' : [400, ['merchantName']]);
  });

  it.each([
    [
      'recipientAccountNo',
      ['0123456789', '0000000000'],
      [
        '012345678',
        '01234567890',
        '012345678a',
        '٠١٢٣٤٥٦٧٨٩',
        ' 0123456789',
        '0123456789\n',
        '',
        123_456_789,
        null,
        undefined,
        ['0123456789'],
      ],
    ],
    [
      'recipientBankCode',
      ['058', '000'],
      ['58', '0580', '05a', '٠٥٨', ' 058', '058\n', '', 58, null, undefined, ['058']],
    ],
  ])('with the right digits in %s is well formed, else not', async (field, right, wrong) => {
    for (const value of right) expect(await sent({ [field]: value })).toBe('well formed');
    for (const value of wrong)
      expect([value, await sent({ [field]: value })]).toEqual([value, [400, [field]]]);
  });

  it.each([
    ['', true],
    ['r'.repeat(199), true],
    ['r'.repeat(200), true],
    ['r'.repeat(201), false],
    ['😀'.repeat(200), true],
    ['😀'.repeat(201), false],
    ['a\u0000', false],
    ['\udc00', false],
    [7, false],
    [{}, false],
  ])('with the reason %j is well formed: %s', async (reason, isSound) => {
    expect(await sent({ reason })).toEqual(isSound ? 'well formed' : [400, ['reason']]);
  });

  it.each(['NGN', null, undefined])('may name the currency %j', async (currency) => {
    expect(await sent({ currency })).toBe('well formed');
  });

  it.each(['USD', 'ngn', ' NGN', '', 'NGN\u200b', 566, ['NGN'], {}, true])(
    'is refused with the currency %j, and nothing is stored',
    async (currency) => {
      const attempts = (await service.history(wallet)).pagination.totalCount;
      expect(await sent({ currency })).toEqual([400, ['currency']]);
      expect((await service.history(wallet)).pagination.totalCount).toBe(attempts);
    },
  );

  it('is told every field that fails, once', async () => {
    const { status, body } = await service.post<{ errors: { field: string; message: string }[] }>(
      '/api/payment-intent',
      { key: wallet.key, body: { reason: 7 } },
    );
    expect(status).toBe(400);
    expect(body.errors.map(({ field }) => field).sort()).toEqual([
      'amount',
      'merchantName',
      'reason',
      'recipientAccountNo',
      'recipientBankCode',
    ]);
  });

  it.each(['[]', 'null', '"x"', '7', 'true', ''])('that is %j and no object is refused', async (body) => {
    const answer = await service.post<{ code: string }>('/api/payment-intent', { key: wallet.key, body });
    expect([answer.status, answer.body.code]).toEqual([400, 'VALIDATION_ERROR']);
  });
});

describe('a change of the rules', () => {
  it('is later than every payment before it and no later than any after it, also within a millisecond', async () => {
    const wallet = await service.fundedWallet(10_000);
    await service.query(`UPDATE sessions SET expires_at = '${FAR_AHEAD}'`);
    const now = Date.parse('2086-01-01T00:00:00.000Z');
    await service.query(`UPDATE wallets SET expiry = '${FAR_AHEAD}' WHERE id = $1`, [wallet.id]);
    await service.setClock(new Date(now));
    try {
      const pay = async (amount: number) =>
        Date.parse(
          expectStatus(201, await service.pay(wallet.key, { amount })).body.data.transaction.createdAt,
        );
      const allow = async (spendLimitPerTx: number) => {
        const answer = await service.call<{ data: { wallet: { updatedAt: string } } }>(
          'PATCH',
          `/api/wallets/${wallet.id}`,
          { token: wallet.owner.token, body: { spendLimitPerTx } },
        );
        return Date.parse(expectStatus(200, answer).body.data.wallet.updatedAt);
      };
      const times = [await pay(1), await allow(10), await pay(1), await allow(20), await pay(20)];
      expect(times.map((time) => time - now)).toEqual([0, 1, 1, 2, 2]);
    } finally {
      await service.setClock(null);
    }
  });
});
