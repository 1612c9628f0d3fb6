import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Bank, type PayoutState } from '../../src/contexts/bank/bank.port.js';
import { brokenInvariants } from '../support/invariants.js';
import {
  type Answer,
  type CreatedWallet,
  type PageOf,
  startService,
  type TestService,
} from '../support/service.js';

let one: TestService;
let other: TestService;
/** What the bank says of a payout of this amount; of any other, that it was paid. */
const verdicts = new Map<number, PayoutState>();
beforeAll(async () => {
  one = await startService();
  other = await startService({ beside: one });
  for (const service of [one, other]) {
    jest
      .spyOn(service.app.get(Bank, { strict: false }), 'startPayout')
      .mockImplementation(({ amount }) =>
        Promise.resolve(verdicts.get(amount) ?? ({ kind: 'succeeded' } as const)),
      );
  }
});
afterEach(async () => {
  await one.settled();
  expect(await brokenInvariants(one)).toEqual({});
});
afterAll(async () => {
  jest.restoreAllMocks();
  await other.close();
  await one.close();
});

interface Withdrawal {
  readonly id: string;
  readonly walletId: string;
  readonly amount: number;
  readonly createdAt: string;
  readonly settlement: { readonly reference: string; readonly status: string };
}
interface Body {
  readonly success: boolean;
  readonly data: { readonly withdrawal: Withdrawal; readonly transfer: Record<string, unknown> };
  readonly error: { readonly code: string; readonly errors?: readonly { readonly field: string }[] };
}

const either = (i: number): TestService => (i % 2 === 0 ? one : other);
const ACCOUNT = { accountNumber: '0123456789', bankCode: '058' };
const withdraw = (
  { id, owner }: CreatedWallet,
  fields: Record<string, unknown>,
  key: string | null = randomUUID(),
  service = one,
): Promise<Answer<Body>> =>
  service.post<Body>(`/api/wallets/${id}/withdrawals`, {
    token: owner.token,
    body: { ...ACCOUNT, ...fields },
    ...(key !== null && { headers: { 'idempotency-key': key } }),
  });
const move = (
  from: CreatedWallet,
  toWalletId: string,
  amount: unknown,
  { key, service = one, narration }: { key?: string; service?: TestService; narration?: string } = {},
): Promise<Answer<Body>> =>
  service.post<Body>(`/api/wallets/${from.id}/transfers`, {
    token: from.owner.token,
    body: { toWalletId, amount, narration },
    ...(key !== undefined && { headers: { 'idempotency-key': key } }),
  });
const outcome = ({ status, body }: Answer<Body>): string =>
  status === 201 ? 'done' : `${status} ${body.error.code}`;
const balanceOf = async (wallet: CreatedWallet): Promise<number> => (await one.stats(wallet)).balance;
const list = async ({ id, owner }: CreatedWallet, query = '') =>
  (await one.get<PageOf<Withdrawal>>(`/api/wallets/${id}/withdrawals${query}`, { token: owner.token })).body;

describe('a withdrawal', () => {
  it('debits the wallet, stands in the ledger without a transaction, and is paid out', async () => {
    const wallet = await one.fundedWallet(5_000);
    const { status, body } = await withdraw(wallet, { amount: 1_200, narration: 'Back to the office' });
    const { withdrawal } = body.data;
    expect([status, body]).toEqual([
      201,
      {
        success: true,
        data: {
          withdrawal: {
            id: expect.any(String),
            walletId: wallet.id,
            amount: 1_200,
            ...ACCOUNT,
            narration: 'Back to the office',
            userId: wallet.owner.id,
            settlement: {
              reference: withdrawal.id,
              status: expect.stringMatching(/pending|processing|succeeded/),
            },
            createdAt: expect.stringMatching(/Z$/),
          },
        },
      },
    ]);
    expect(await balanceOf(wallet)).toBe(3_800);
    expect((await one.ledger(wallet)).data[0]).toMatchObject({
      type: 'debit',
      amount: 1_200,
      balanceAfter: 3_800,
      transactionId: null,
      reference: withdrawal.id,
      narration: 'Back to the office',
    });
    await one.settled();
    const read = await one.get<Body>(`/api/wallets/${wallet.id}/withdrawals/${withdrawal.id}`, {
      token: wallet.owner.token,
    });
    expect(read.body.data.withdrawal.settlement.status).toBe('succeeded');
  });

  it('is no payment: the history, the statistics and the webhooks of payments know nothing of it', async () => {
    const wallet = await one.fundedWallet(100_000, { spendLimitPeriod: 100_000 });
    const { status } = await one.post('/v1/webhook-endpoints', {
      token: wallet.owner.token,
      body: {
        url: 'http://127.0.0.1:8999/',
        events: ['payment.approved', 'payment.settled', 'payment.refunded'],
      },
    });
    expect(status).toBe(201);
    verdicts.set(7_001, { kind: 'failed', reason: 'no such account' });
    await withdraw(wallet, { amount: 60_000 });
    await withdraw(wallet, { amount: 7_001 });
    await one.settled();
    expect(await one.stats(wallet)).toMatchObject({ balance: 40_000, spentThisPeriod: 0 });
    expect((await one.history(wallet)).pagination.totalCount).toBe(0);
    expect(await one.query('SELECT 1 FROM webhook_deliveries WHERE wallet_id = $1', [wallet.id])).toEqual([]);
    const days = await one.get<{ data: { spent: number; approved: number }[] }>(
      `/v1/wallets/${wallet.id}/spend-by-day?days=2`,
      { token: wallet.owner.token },
    );
    expect(days.body.data.map(({ spent, approved }) => [spent, approved])).toEqual([
      [0, 0],
      [0, 0],
    ]);
  });

  it('that the bank refuses comes back once, and gives the agent no allowance back', async () => {
    const wallet = await one.fundedWallet(100_000, { spendLimitPerTx: 40_000, spendLimitPeriod: 50_000 });
    expect((await one.pay(wallet.key, { amount: 30_000 })).status).toBe(201);
    verdicts.set(40_002, { kind: 'failed', reason: 'no such account' });
    const { body } = await withdraw(wallet, { amount: 40_002 });
    expect(await balanceOf(wallet)).toBe(29_998);
    await one.settled();
    expect(await one.stats(wallet)).toMatchObject({ balance: 70_000, spentThisPeriod: 30_000 });
    expect((await one.ledger(wallet)).data[0]).toMatchObject({
      type: 'refund',
      amount: 40_002,
      transactionId: null,
      reference: body.data.withdrawal.id,
    });
    expect((await one.pay(wallet.key, { amount: 20_001 })).body.code).toBe('SPEND_LIMIT_PER_PERIOD_EXCEEDED');
    expect((await list(wallet)).data[0]?.settlement.status).toBe('failed');
  });

  it('needs nothing but the balance: past every cap, suspended, expired, off the allowlist', async () => {
    const wallet = await one.fundedWallet(9_000, {
      spendLimitPerTx: 1,
      spendLimitPeriod: 1,
      useAllowlist: true,
      merchantAllowlist: ['nobody'],
    });
    await one.post(`/api/wallets/${wallet.id}/suspend`, { token: wallet.owner.token });
    await one.query(`UPDATE wallets SET expiry = '2020-01-01' WHERE id = $1`, [wallet.id]);
    expect(outcome(await withdraw(wallet, { amount: 9_001 }))).toBe('402 INSUFFICIENT_FUNDS');
    expect(outcome(await withdraw(wallet, { amount: 4_000 }))).toBe('done');
    expect((await withdraw(wallet, { amount: 'all' })).body.data.withdrawal.amount).toBe(5_000);
    expect(outcome(await withdraw(wallet, { amount: 'all' }))).toBe('402 INSUFFICIENT_FUNDS');
    expect(await balanceOf(wallet)).toBe(0);
  });

  it('does not weigh on what the agent may spend, before or after it', async () => {
    const wallet = await one.fundedWallet(100_000, { spendLimitPerTx: 10_000, spendLimitPeriod: 10_000 });
    await one.pay(wallet.key, { amount: 4_000 });
    await withdraw(wallet, { amount: 50_000 });
    expect((await one.pay(wallet.key, { amount: 6_001 })).body.code).toBe('SPEND_LIMIT_PER_PERIOD_EXCEEDED');
    expect((await one.pay(wallet.key, { amount: 6_000 })).status).toBe(201);
  });

  it.each([
    [{ amount: 0 }, 'amount'],
    [{ amount: 1.5 }, 'amount'],
    [{ amount: 'ALL' }, 'amount'],
    [{ amount: '5' }, 'amount'],
    [{}, 'amount'],
    [{ amount: 5, accountNumber: '1' }, 'accountNumber'],
    [{ amount: 5, bankCode: 'abc' }, 'bankCode'],
    [{ amount: 5, narration: 'x'.repeat(201) }, 'narration'],
  ])('is refused for its fields: %j', async (fields, field) => {
    const wallet = await one.fundedWallet(5_000);
    const { status, body } = await withdraw(wallet, fields);
    expect([status, body.error.errors?.map((each) => each.field)]).toEqual([400, [field]]);
    expect(await balanceOf(wallet)).toBe(5_000);
  });

  it('is listed newest first, in pages, with its wallet alone', async () => {
    const wallet = await one.fundedWallet(5_000);
    for (const amount of [1, 2, 3]) await withdraw(wallet, { amount });
    const { data, pagination } = await list(wallet);
    expect(data.map(({ amount }) => amount)).toEqual([3, 2, 1]);
    expect(pagination).toEqual({ page: 1, pageSize: 10, totalCount: 3, totalPages: 1 });
    expect((await list(wallet, '?page=2&pageSize=2')).data.map(({ amount }) => amount)).toEqual([1]);
    const { token } = wallet.owner;
    for (const id of [randomUUID(), 'x']) {
      const answer = await one.get<Body>(`/api/wallets/${wallet.id}/withdrawals/${id}`, { token });
      expect([answer.status, answer.body.error.code]).toEqual([404, 'WITHDRAWAL_NOT_FOUND']);
    }
  });

  it('and a transfer are refused in another currency than naira, and nothing moves', async () => {
    const wallet = await one.fundedWallet(5_000);
    const { id } = await one.createWallet(wallet.owner);
    const answers = await Promise.all(
      ['withdrawals', 'transfers'].map((kind) =>
        one.post<Body>(`/api/wallets/${wallet.id}/${kind}`, {
          token: wallet.owner.token,
          body: { ...ACCOUNT, toWalletId: id, amount: 1_000, currency: 'USD' },
          headers: { 'idempotency-key': randomUUID() },
        }),
      ),
    );
    expect(answers.map(({ body }) => body.error.errors?.map(({ field }) => field))).toEqual([
      ['currency'],
      ['currency'],
    ]);
    expect(await balanceOf(wallet)).toBe(5_000);
    expect((await withdraw(wallet, { amount: 1_000, currency: 'NGN' })).status).toBe(201);
  });

  it('below what the bank pays out is refused with the bound, and nothing moves', async () => {
    const bank = one.app.get(Bank, { strict: false });
    const wallet = await one.fundedWallet(5_000);
    const before = bank.capabilities;
    Object.assign(bank, { capabilities: { ...before, minPayout: 1_000, maxPayout: 2_000 } });
    try {
      for (const amount of [999, 2_001, 'all'] as const) {
        const { status, body } = await withdraw(wallet, { amount });
        expect([status, body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
      }
      expect(outcome(await withdraw(wallet, { amount: 1_000 }))).toBe('done');
      expect(outcome(await withdraw(wallet, { amount: 2_000 }))).toBe('done');
    } finally {
      Object.assign(bank, { capabilities: before });
    }
    expect(await balanceOf(wallet)).toBe(2_000);
  });
});

describe('the Idempotency-Key of a withdrawal', () => {
  it('is required', async () => {
    const wallet = await one.fundedWallet(5_000);
    for (const key of [null, '', 'with space', 'x'.repeat(256)]) {
      const { status, body } = await withdraw(wallet, { amount: 1 }, key);
      expect([status, body.error.errors?.map(({ field }) => field)]).toEqual([400, ['Idempotency-Key']]);
    }
    expect(await balanceOf(wallet)).toBe(5_000);
  });

  it('makes fifty requests at once one withdrawal, with one answer', async () => {
    const wallet = await one.fundedWallet(5_000);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => withdraw(wallet, { amount: 'all' }, 'once', either(i))),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map(({ body }) => body.data.withdrawal.id)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers['idempotency-replayed'] === 'true')).toHaveLength(49);
    expect((await list(wallet)).pagination.totalCount).toBe(1);
    expect(await balanceOf(wallet)).toBe(0);
  });

  it('used for another request is refused, and belongs to its wallet alone', async () => {
    const wallet = await one.fundedWallet(5_000);
    const second = await one.fundedWallet(5_000);
    expect(outcome(await withdraw(wallet, { amount: 10 }, 'k'))).toBe('done');
    for (const fields of [{ amount: 11 }, { amount: 10, bankCode: '044' }, { amount: 10, narration: 'x' }]) {
      expect(outcome(await withdraw(wallet, fields, 'k'))).toBe('422 IDEMPOTENCY_KEY_REUSED');
    }
    expect(outcome(await withdraw(second, { amount: 10 }, 'k'))).toBe('done');
    expect(await balanceOf(wallet)).toBe(4_990);
  });
});

describe('withdrawals and payments at once', () => {
  it('by fifty on two replicas take the balance and no kobo more', async () => {
    const wallet = await one.fundedWallet(20_000);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        i % 2 === 0
          ? withdraw(wallet, { amount: 1_000 }, `w${i}`, either(i / 2))
          : either((i - 1) / 2).pay(wallet.key),
      ),
    );
    const counted = (status: number) => answers.filter((answer) => answer.status === status).length;
    expect([counted(201), counted(402)]).toEqual([20, 30]);
    expect(await balanceOf(wallet)).toBe(0);
  });

  it('with refusals of both by the bank give each back once, and only payments their allowance', async () => {
    const wallet = await one.fundedWallet(1_000_000);
    verdicts.set(1_003, { kind: 'failed', reason: 'refused' });
    const before = await one.stats(wallet);
    await Promise.all(
      Array.from({ length: 50 }, (_, i) => {
        const amount = i % 4 < 2 ? 1_003 : 1_000;
        return i % 2 === 0
          ? withdraw(wallet, { amount }, `w${i}`, either(i / 2))
          : either((i - 1) / 2).pay(wallet.key, { amount });
      }),
    );
    await one.settled();
    const { balance, spentThisPeriod } = await one.stats(wallet);
    expect([balance, spentThisPeriod]).toEqual([before.balance - 24_000, 12_000]);
  });
});

describe('a transfer between wallets', () => {
  it('debits one and credits the other, both in their ledgers under one reference', async () => {
    const from = await one.fundedWallet(5_000);
    const to = await one.createWallet(from.owner);
    const { status, body } = await move(from, to.id.toUpperCase(), 1_500);
    const { transfer } = body.data;
    expect([status, transfer]).toEqual([
      201,
      {
        id: expect.any(String),
        fromWalletId: from.id,
        toWalletId: to.id,
        amount: 1_500,
        narration: null,
        userId: from.owner.id,
        createdAt: expect.stringMatching(/Z$/),
      },
    ]);
    expect([await balanceOf(from), await balanceOf(to)]).toEqual([3_500, 1_500]);
    const shared = { amount: 1_500, reference: transfer['id'], transactionId: null };
    expect((await one.ledger(from)).data[0]).toMatchObject({ ...shared, type: 'debit', balanceAfter: 3_500 });
    expect((await one.ledger(to)).data[0]).toMatchObject({ ...shared, type: 'topup', balanceAfter: 1_500 });
    expect((await one.stats(from)).spentThisPeriod).toBe(0);
  });

  it('needs the balance, another open wallet of the same owner, and room in it', async () => {
    const from = await one.fundedWallet(5_000);
    const to = await one.createWallet(from.owner);
    const closed = await one.createWallet(from.owner);
    await one.post(`/api/wallets/${closed.id}/close`, { token: from.owner.token, body: {} });
    const foreign = await one.createWallet();
    expect(outcome(await move(from, to.id, 5_001))).toBe('402 INSUFFICIENT_FUNDS');
    const shouted = { ...from, id: from.id.toUpperCase() };
    expect(outcome(await move(from, shouted.id, 1))).toBe('400 VALIDATION_ERROR');
    expect(outcome(await move(shouted, from.id, 1))).toBe('400 VALIDATION_ERROR');
    expect(outcome(await move(from, to.id, 0))).toBe('400 VALIDATION_ERROR');
    expect(outcome(await move(from, 'x', 1))).toBe('400 VALIDATION_ERROR');
    expect(outcome(await move(from, foreign.id, 1))).toBe('404 WALLET_NOT_FOUND');
    expect(outcome(await move(from, randomUUID(), 1))).toBe('404 WALLET_NOT_FOUND');
    expect(outcome(await move(from, closed.id, 1))).toBe('409 WALLET_CLOSED');
    await one.topUp(to.id, Number.MAX_SAFE_INTEGER - 4_999);
    expect(outcome(await move(from, to.id, 5_000))).toBe('400 VALIDATION_ERROR');
    expect(outcome(await move(from, to.id, 4_999))).toBe('done');
    expect(await balanceOf(from)).toBe(1);
  });

  it('goes both ways at once on two replicas without waiting for itself, and loses nothing', async () => {
    const first = await one.fundedWallet(50_000);
    const second = await one.createWallet(first.owner);
    await one.topUp(second.id, 50_000);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => {
        const [from, to] = i % 2 === 0 ? [first, second] : [second, first];
        if (i % 5 === 4) return either(i).pay(from.key);
        return move(from, to.id, 100 + i, { service: either(Math.trunc(i / 2)) });
      }),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect((await balanceOf(first)) + (await balanceOf(second))).toBe(90_000);
  });

  it('with an Idempotency-Key is carried out once, however often it is sent', async () => {
    const from = await one.fundedWallet(5_000);
    const to = await one.createWallet(from.owner);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => move(from, to.id, 700, { key: 'once', service: either(i) })),
    );
    expect(new Set(answers.map(({ body }) => body.data.transfer['id'])).size).toBe(1);
    expect(outcome(await move(from, to.id, 701, { key: 'once' }))).toBe('422 IDEMPOTENCY_KEY_REUSED');
    const another = await move(from, to.id, 700, { key: 'once', narration: 'Rent' });
    expect(outcome(another)).toBe('422 IDEMPOTENCY_KEY_REUSED');
    const third = await one.createWallet(from.owner);
    expect(outcome(await move(from, third.id, 700, { key: 'once' }))).toBe('422 IDEMPOTENCY_KEY_REUSED');
    expect(await balanceOf(third)).toBe(0);
    expect([await balanceOf(from), await balanceOf(to)]).toEqual([4_300, 700]);
  });
});
