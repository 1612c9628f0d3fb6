import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { approvalIn, askAbove, lapseAll, payPending } from '../support/approvals.js';
import { ApprovalsDesk, DAY_MS, iso } from '../support/approvals-desk.js';
import { expectStatus, type TestService } from '../support/service.js';

const ACCOUNT = { accountNumber: '0123456789', bankCode: '058' };
const desk = new ApprovalsDesk();
const { approve, askingWallet, attempt, decisions, deny, either, held, list, moveTo } = desk;

let one: TestService;

beforeAll(async () => {
  ({ one } = await desk.start());
});
afterEach(() => desk.check());
afterAll(() => desk.close());

describe('a payment above the threshold', () => {
  it('waits for a person with 202, at and below it is paid at once', async () => {
    const wallet = await askingWallet(50_000);
    for (const amount of [999, 1_000]) {
      expect((await one.pay(wallet.key, { amount })).status).toBe(201);
    }
    const { status, body } = await one.pay(wallet.key, { amount: 1_001, reason: 'Chairs' });
    const { transaction } = body.data;
    expect([status, body]).toEqual([
      202,
      {
        success: true,
        data: {
          transaction: {
            id: transaction.id,
            walletId: wallet.id,
            amount: 1_001,
            merchantName: 'Acme Stores',
            recipientAccountNo: '0123456789',
            recipientBankCode: '058',
            decision: 'pending',
            reason: 'Chairs',
            blockReason: null,
            createdAt: iso(desk.nowMs),
          },
          approval: { id: transaction.id, expiresAt: iso(desk.nowMs + DAY_MS) },
        },
      },
    ]);
  });

  it('waits as long as its wallet says', async () => {
    const wallet = await askingWallet(50_000);
    await askAbove(one, wallet, 1_000, { approvalTtlMinutes: 1 });
    await moveTo(desk.nowMs + 1_000);
    expect((await payPending(one, wallet, { amount: 2_000 })).expiresAt).toBe(iso(desk.nowMs + 60_000));
    for (const approvalTtlMinutes of [0, 10_081, 1.5, '5']) {
      const { status } = await one.call('PATCH', `/api/wallets/${wallet.id}`, {
        token: wallet.owner.token,
        body: { approvalTtlMinutes },
      });
      expect([approvalTtlMinutes, status]).toEqual([approvalTtlMinutes, 400]);
    }
    await askAbove(one, wallet, null);
    expect((await one.pay(wallet.key, { amount: 2_001 })).status).toBe(201);
  });

  it('holds its amount: nothing is debited, and no other payment can spend it', async () => {
    const wallet = await askingWallet(10_000);
    const another = await one.createWallet(wallet.owner);
    await payPending(one, wallet, { amount: 7_000 });
    expect(await one.stats(wallet)).toEqual({
      balance: 10_000,
      held: 7_000,
      available: 3_000,
      spendLimitPerTx: 100_000,
      spendLimitPeriod: 1_000_000,
      spentThisPeriod: 0,
      remainingAllowance: 993_000,
    });
    const shown = await one.get<{ data: { wallet: object } }>(`/api/wallets/${wallet.id}`, {
      token: wallet.owner.token,
    });
    expect(shown.body.data.wallet).toMatchObject({ balance: 10_000, held: 7_000, available: 3_000 });
    const own = await one.get<{ data: object }>('/api/wallet', { key: wallet.key });
    expect(own.body.data).toMatchObject({ balance: 10_000, available: 3_000, spentThisPeriod: 0 });
    expect((await one.ledger(wallet)).data.map(({ type }) => type)).toEqual(['topup']);
    const refused = await one.pay(wallet.key, { amount: 3_001 });
    expect([refused.status, refused.body.code]).toEqual([402, 'INSUFFICIENT_FUNDS']);
    expect(refused.body.message).toContain('3000');
    const withdraw = (amount: number | string) =>
      one.post(`/api/wallets/${wallet.id}/withdrawals`, {
        token: wallet.owner.token,
        body: { ...ACCOUNT, amount },
        headers: { 'idempotency-key': randomUUID() },
      });
    const move = (amount: number) =>
      one.post(`/api/wallets/${wallet.id}/transfers`, {
        token: wallet.owner.token,
        body: { toWalletId: another.id, amount },
      });
    expect([(await withdraw(3_001)).status, (await move(3_001)).status]).toEqual([402, 402]);
    expect([(await move(500)).status, (await one.pay(wallet.key, { amount: 500 })).status]).toEqual([
      201, 201,
    ]);
    expect((await withdraw('all')).status).toBe(201);
    expect((await withdraw('all')).status).toBe(402);
    expect(await held(wallet)).toMatchObject({ balance: 7_000, held: 7_000, available: 0 });
  });

  it('counts in the period from its request on', async () => {
    const wallet = await askingWallet(50_000, { spendLimitPerTx: 9_000, spendLimitPeriod: 10_000 });
    await payPending(one, wallet, { amount: 8_000 });
    const over = await one.pay(wallet.key, { amount: 2_001 });
    expect(over.body.code).toBe('SPEND_LIMIT_PER_PERIOD_EXCEEDED');
    await payPending(one, wallet, { amount: 1_500 });
    expect((await one.pay(wallet.key, { amount: 501 })).body.code).toBe('SPEND_LIMIT_PER_PERIOD_EXCEEDED');
    expect((await one.pay(wallet.key, { amount: 500 })).status).toBe(201);
  });

  it('counts against the limits of its key, which get it back when it is denied or lapses', async () => {
    const wallet = await askingWallet(50_000);
    const made = await one.post<{ data: { apiKey: { fullKey: string } } }>(`/api/wallets/${wallet.id}/keys`, {
      token: wallet.owner.token,
      body: { name: 'child', purpose: 'Chairs', limits: { totalCap: 5_000, maxPayments: 2 } },
    });
    const key = expectStatus(201, made).body.data.apiKey.fullKey;
    const pay = async (amount: number) => one.pay(key, { amount });
    const code = async (amount: number) => (await pay(amount)).body.code;
    const first = approvalIn(expectStatus(202, await pay(3_000)));
    expect(await code(2_001)).toBe('KEY_LIMIT_EXCEEDED');
    const second = approvalIn(expectStatus(202, await pay(2_000)));
    expect(await code(1)).toBe('KEY_LIMIT_EXCEEDED');
    await approve(wallet, first.id);
    expect(await code(1)).toBe('KEY_LIMIT_EXCEEDED');
    await deny(wallet, second.id);
    expect(await code(2_001)).toBe('KEY_LIMIT_EXCEEDED');
    const third = approvalIn(expectStatus(202, await pay(1_999)));
    expect(await code(1)).toBe('KEY_LIMIT_EXCEEDED');
    await moveTo(Date.parse(third.expiresAt));
    await lapseAll(one);
    expect((await pay(500)).status).toBe(201);
    expect(await code(1)).toBe('KEY_LIMIT_EXCEEDED');
    const [entry] = (await one.ledger(wallet, '?page=2&pageSize=1')).data;
    expect(entry).toMatchObject({ transactionId: first.id, purpose: 'Chairs' });
  });

  it('is blocked first by every check and never asked about', async () => {
    const wallet = await askingWallet(5_000, {
      spendLimitPerTx: 6_000,
      useAllowlist: true,
      merchantAllowlist: ['Acme Stores'],
    });
    const code = async (fields: object) => (await one.pay(wallet.key, { ...fields })).body.code;
    expect(await code({ amount: 6_001 })).toBe('SPEND_LIMIT_PER_TX_EXCEEDED');
    expect(await code({ amount: 2_000, merchantName: 'Other' })).toBe('MERCHANT_NOT_ALLOWED');
    expect(await code({ amount: 5_001 })).toBe('INSUFFICIENT_FUNDS');
    expect((await list(wallet)).data).toEqual([]);
  });

  it('is told by the history, the agent’s own lists, the days and the CSV', async () => {
    const wallet = await askingWallet(50_000);
    await one.pay(wallet.key, { amount: 500 });
    const { id } = await payPending(one, wallet, { amount: 2_000 });
    await one.pay(wallet.key, { amount: 60_000 });
    expect(await decisions(wallet, 'approved')).toEqual([500]);
    expect(await decisions(wallet, 'pending')).toEqual([2_000]);
    expect(await decisions(wallet, 'blocked')).toEqual([60_000]);
    const row = await attempt(wallet, id);
    expect(row).toMatchObject({ decision: 'pending', blockReason: null, settlement: null });
    expect(row.auditEvents.map(({ type }) => type)).toEqual([
      ...Array<string>(6).fill('check.passed'),
      ...row.auditEvents.slice(6, -1).map(() => 'check.passed'),
      'approval.requested',
    ]);
    expect(row.auditEvents.at(-1)).toEqual({
      type: 'approval.requested',
      at: iso(desk.nowMs),
      detail: { limit: 1_000, actual: 2_000 },
    });
    const { token } = wallet.owner;
    const days = await one.get<{ data: object[] }>(`/v1/wallets/${wallet.id}/spend-by-day?days=1`, { token });
    expect(days.body.data[0]).toMatchObject({ spent: 500, approved: 1, blocked: 1 });
    const csv = await one.get<string>(`/api/wallets/${wallet.id}/transactions.csv`, { token });
    expect(csv.text.split('\n').filter((line) => line.includes(',pending,'))).toHaveLength(1);
    const compact = await one.get<{ decision: string }[]>(`/v1/wallets/${wallet.id}/transactions`, { token });
    expect(compact.body.map(({ decision }) => decision)).toEqual(['blocked', 'pending', 'approved']);
  });

  it('is asked about once under its Idempotency-Key, and the answer is how it stands by then', async () => {
    const wallet = await askingWallet(50_000);
    const pay = (amount = 2_000, i = 0) => either(i).pay(wallet.key, { amount }, { 'idempotency-key': 'k' });
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => pay(2_000, i)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers['idempotency-replayed'])).toHaveLength(49);
    expect(await held(wallet)).toMatchObject({ held: 2_000 });
    expect((await pay(2_001)).status).toBe(422);
    const { id } = approvalIn(answers[0]!);
    await approve(wallet, id);
    const approved = await pay();
    expect([approved.status, approved.body.data]).toEqual([
      201,
      {
        transaction: expect.objectContaining({ id, decision: 'approved', blockReason: null }) as unknown,
        settlement: { reference: id },
      },
    ]);
    const denied = await payPending(one, wallet, { amount: 3_000 }, { 'idempotency-key': 'd' });
    await deny(wallet, denied.id);
    const again = await one.pay(wallet.key, { amount: 3_000 }, { 'idempotency-key': 'd' });
    expect([again.status, again.body.code, again.body.transactionId]).toEqual([
      403,
      'APPROVAL_DENIED',
      denied.id,
    ]);
  });

  it('is blocked when 100 wait already', async () => {
    const wallet = await askingWallet(1_000_000);
    const answers = await Promise.all(
      Array.from({ length: 103 }, (_, i) => either(i).pay(wallet.key, { amount: 1_001 })),
    );
    const codes = answers.map(({ status, body }) => (status === 202 ? 'waits' : body.code)).sort();
    expect(codes).toEqual([
      ...Array<string>(3).fill('APPROVAL_LIMIT_REACHED'),
      ...Array<string>(100).fill('waits'),
    ]);
    expect((await one.pay(wallet.key, { amount: 1_000 })).status).toBe(201);
    await deny(wallet, approvalIn(answers.find(({ status }) => status === 202)!).id);
    expect((await one.pay(wallet.key, { amount: 1_001 })).status).toBe(202);
    const { data, pagination } = await list(wallet, '?status=pending&pageSize=3&page=34');
    expect([data.length, pagination.totalCount]).toEqual([1, 100]);
  });
});
