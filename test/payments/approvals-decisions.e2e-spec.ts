import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type Approval,
  type ApprovalBody,
  approvalIn,
  askAbove,
  lapseAll,
  payPending,
} from '../support/approvals.js';
import { ApprovalsDesk, DAY_MS, HOUR_MS, iso, outcome } from '../support/approvals-desk.js';
import { Receiver, verified } from '../support/receiver.js';
import { expectStatus, FAR_AHEAD, type TestService, until } from '../support/service.js';

const ACCOUNT = { accountNumber: '0123456789', bankCode: '058' };
const desk = new ApprovalsDesk();
const { approve, askingWallet, attempt, decisions, deny, held, list, moveTo, verdicts } = desk;

let one: TestService;

beforeAll(async () => {
  ({ one } = await desk.start());
});
afterEach(() => desk.check());
afterAll(() => desk.close());

describe('approving', () => {
  it('debits at that moment, settles like any other payment, and is on record', async () => {
    const wallet = await askingWallet(50_000);
    await one.pay(wallet.key, { amount: 1_000 });
    const { id } = await payPending(one, wallet, { amount: 8_000, merchantName: 'Chair Makers' });
    const requestedMs = desk.nowMs;
    await moveTo(desk.nowMs + HOUR_MS);
    await one.pay(wallet.key, { amount: 300 });
    const { status, body } = await approve(wallet, id, { note: ' Agreed ' });
    expect([status, body.data.approval]).toEqual([
      200,
      {
        id,
        walletId: wallet.id,
        status: 'approved',
        expiresAt: iso(requestedMs + DAY_MS),
        decidedAt: iso(desk.nowMs),
        decidedBy: wallet.owner.id,
        note: 'Agreed',
        threshold: 1_000,
        createdAt: iso(requestedMs),
        transaction: expect.objectContaining({
          id,
          decision: 'approved',
          status: 'processing',
          blockReason: null,
        }) as unknown,
      },
    ]);
    expect(await one.stats(wallet)).toMatchObject({
      balance: 40_700,
      held: 0,
      available: 40_700,
      spentThisPeriod: 9_300,
      remainingAllowance: 990_700,
    });
    const [entry] = (await one.ledger(wallet)).data;
    expect(entry).toMatchObject({
      type: 'debit',
      amount: 8_000,
      balanceAfter: 40_700,
      transactionId: id,
      createdAt: iso(desk.nowMs),
    });
    await one.settled();
    const row = await attempt(wallet, id);
    expect(row).toMatchObject({ decision: 'approved', settlement: { reference: id, status: 'succeeded' } });
    expect(row.auditEvents.map(({ type }) => type).filter((type) => type !== 'check.passed')).toEqual([
      'approval.requested',
      'approval.approved',
      'settlement.started',
      'settlement.succeeded',
    ]);
    expect(row.auditEvents.find(({ type }) => type === 'approval.approved')).toEqual({
      type: 'approval.approved',
      at: iso(desk.nowMs),
      detail: { note: 'Agreed' },
    });
    expect(await decisions(wallet, 'approved')).toEqual([300, 8_000, 1_000]);
    const merchants = await one.query<{ name: string }>(
      'SELECT name FROM wallet_merchants WHERE wallet_id = $1 ORDER BY name',
      [wallet.id],
    );
    expect(merchants.map(({ name }) => name)).toEqual(['Acme Stores', 'Chair Makers']);
  });

  it('comes before every payment after it, though the clock of the database goes back', async () => {
    const wallet = await askingWallet(50_000);
    const { id } = await payPending(one, wallet, { amount: 8_000 });
    await moveTo(desk.nowMs + HOUR_MS);
    const approvedMs = desk.nowMs;
    await approve(wallet, id);
    await moveTo(approvedMs - 60_000);
    const { status, body } = await one.pay(wallet.key, { amount: 300 });
    await moveTo(approvedMs);
    expect([status, body.data.transaction.createdAt]).toEqual([201, iso(approvedMs)]);
    const entries = (await one.ledger(wallet)).data.slice(0, 2);
    expect(entries.map(({ amount, createdAt }) => [amount, createdAt])).toEqual([
      [300, iso(approvedMs)],
      [8_000, iso(approvedMs)],
    ]);
  });

  it('is when its receipt says that it was decided, and so are a denial and a lapse', async () => {
    const wallet = await askingWallet(50_000);
    const decidedAt = async (id: string): Promise<unknown> => {
      const { body } = await one.get<{ data: { receipt: string } }>(`/api/payment-intent/${id}/receipt`, {
        key: wallet.key,
      });
      const [, claims = ''] = body.data.receipt.split('.');
      return (JSON.parse(Buffer.from(claims, 'base64url').toString()) as { decidedAt: string }).decidedAt;
    };
    const requestedMs = desk.nowMs;
    const [approved, denied, lapsed] = [
      await payPending(one, wallet, { amount: 2_000 }),
      await payPending(one, wallet, { amount: 3_000 }),
      await payPending(one, wallet, { amount: 4_000 }),
    ];
    expect(await decidedAt(approved.id)).toBe(iso(requestedMs));
    await moveTo(desk.nowMs + HOUR_MS);
    await approve(wallet, approved.id);
    await deny(wallet, denied.id);
    expect([await decidedAt(approved.id), await decidedAt(denied.id)]).toEqual([
      iso(desk.nowMs),
      iso(desk.nowMs),
    ]);
    await moveTo(requestedMs + DAY_MS);
    await lapseAll(one);
    expect(await decidedAt(lapsed.id)).toBe(iso(requestedMs + DAY_MS));
  });

  it('again answers the same; the opposite is refused', async () => {
    const wallet = await askingWallet(50_000);
    const { id } = await payPending(one, wallet, { amount: 2_000 });
    const first = await approve(wallet, id, { note: 'once' });
    await one.settled();
    const again = await approve(wallet, id, { note: 'twice' });
    const { transaction, ...approval } = first.body.data.approval;
    // Only the money has moved on.
    expect([again.status, again.body.data.approval]).toEqual([
      200,
      { ...approval, transaction: { ...transaction, status: 'paid' } },
    ]);
    expect(outcome(await deny(wallet, id))).toBe('409 APPROVAL_ALREADY_DECIDED');
    expect((await one.stats(wallet)).balance).toBe(48_000);
  });

  it('needs an active wallet that is not expired, and leaves what can not be approved pending', async () => {
    const wallet = await askingWallet(50_000, { expiry: iso(desk.nowMs + 2 * HOUR_MS) });
    const [first, second] = [
      await payPending(one, wallet, { amount: 2_000 }),
      await payPending(one, wallet, { amount: 3_000 }),
    ];
    const post = (action: string) =>
      one.post(`/api/wallets/${wallet.id}/${action}`, { token: wallet.owner.token, body: {} });
    await post('suspend');
    expect(outcome(await approve(wallet, first.id))).toBe('409 WALLET_INACTIVE');
    expect(await held(wallet)).toMatchObject({ held: 5_000 });
    await post('resume');
    await moveTo(desk.nowMs + 2 * HOUR_MS);
    expect(outcome(await approve(wallet, first.id))).toBe('409 WALLET_EXPIRED');
    expect(outcome(await deny(wallet, second.id))).toBe('denied');
    await one.call('PATCH', `/api/wallets/${wallet.id}`, {
      token: wallet.owner.token,
      body: { expiry: FAR_AHEAD },
    });
    expect(outcome(await approve(wallet, first.id))).toBe('approved');
    expect(await one.stats(wallet)).toMatchObject({ balance: 48_000, held: 0, spentThisPeriod: 2_000 });
  });

  it('counts in the period of the request, also when it comes later', async () => {
    const wallet = await askingWallet(50_000, {
      spendLimitPerTx: 9_000,
      spendLimitPeriod: 10_000,
      periodWindowDays: 1,
    });
    const { id } = await payPending(one, wallet, { amount: 8_000 });
    const requestedMs = desk.nowMs;
    await moveTo(requestedMs + DAY_MS - 1);
    expect(outcome(await approve(wallet, id))).toBe('approved');
    expect((await one.pay(wallet.key, { amount: 2_001 })).body.code).toBe('SPEND_LIMIT_PER_PERIOD_EXCEEDED');
    await moveTo(requestedMs + DAY_MS);
    expect((await one.stats(wallet)).spentThisPeriod).toBe(0);
  });

  it('of a payment that the bank then refuses gives money and allowance back once', async () => {
    const wallet = await askingWallet(50_000, { spendLimitPeriod: 100_000 });
    verdicts.set(8_003, { kind: 'failed', reason: 'no such account' });
    const { id } = await payPending(one, wallet, { amount: 8_003 });
    await moveTo(desk.nowMs + HOUR_MS);
    await approve(wallet, id);
    await one.settled();
    expect(await one.stats(wallet)).toMatchObject({ balance: 50_000, held: 0, spentThisPeriod: 0 });
    expect((await one.ledger(wallet)).data.map(({ type }) => type)).toEqual(['refund', 'debit', 'topup']);
    expect((await attempt(wallet, id)).settlement?.status).toBe('failed');
  });
});

describe('denying', () => {
  it('blocks the payment with the note on record, and releases what it held', async () => {
    const wallet = await askingWallet(10_000, { spendLimitPerTx: 9_000, spendLimitPeriod: 10_000 });
    const { id } = await payPending(one, wallet, { amount: 8_000 });
    expect(outcome(await deny(wallet, id, { note: 'Too dear' }))).toBe('denied');
    expect(await one.stats(wallet)).toMatchObject({
      balance: 10_000,
      held: 0,
      spentThisPeriod: 0,
      remainingAllowance: 10_000,
    });
    const row = await attempt(wallet, id);
    expect(row).toMatchObject({ decision: 'blocked', blockReason: 'APPROVAL_DENIED', settlement: null });
    expect(await decisions(wallet, 'blocked')).toEqual([8_000]);
    expect(row.auditEvents.at(-1)).toEqual({
      type: 'approval.denied',
      at: iso(desk.nowMs),
      detail: { note: 'Too dear' },
    });
    await payPending(one, wallet, { amount: 9_000 });
    expect((await one.ledger(wallet)).data.map(({ type }) => type)).toEqual(['topup']);
    expect(outcome(await deny(wallet, id))).toBe('denied');
    expect(outcome(await approve(wallet, id))).toBe('409 APPROVAL_ALREADY_DECIDED');
  });

  it('puts it among the blocked of every list, in its place', async () => {
    const wallet = await askingWallet(100_000);
    const waiting: Approval[] = [];
    for (const amount of [100, 2_001, 200_000, 2_002, 200, 2_003, 200_001, 2_004, 300]) {
      const answer = await one.pay(wallet.key, { amount });
      if (answer.status === 202) waiting.push(approvalIn(answer));
    }
    await approve(wallet, waiting[1]!.id);
    await deny(wallet, waiting[0]!.id);
    await deny(wallet, waiting[3]!.id);
    expect(await decisions(wallet, 'blocked')).toEqual([2_004, 200_001, 200_000, 2_001]);
    expect(await decisions(wallet, 'approved')).toEqual([300, 200, 2_002, 100]);
    expect(await decisions(wallet, 'pending')).toEqual([2_003]);
    const page = await one.history(wallet, '?decision=blocked&page=2&pageSize=3');
    expect([page.data.map(({ amount }) => amount), page.pagination.totalCount]).toEqual([[2_001], 4]);
    const { token } = wallet.owner;
    const days = await one.get<{ data: object[] }>(`/v1/wallets/${wallet.id}/spend-by-day?days=1`, { token });
    expect(days.body.data[0]).toMatchObject({ spent: 2_602, approved: 4, blocked: 4 });
  });

  it('needs no body, and neither does an approval', async () => {
    const wallet = await askingWallet(10_000);
    const ids: string[] = [];
    for (const amount of [2_000, 3_000]) ids.push((await payPending(one, wallet, { amount })).id);
    const { token } = wallet.owner;
    const said = (id: string, word: string) =>
      one.post<ApprovalBody>(`/v1/approvals/${id}/${word}`, { token });
    expect(outcome(await said(ids[0]!, 'deny'))).toBe('denied');
    expect(outcome(await said(ids[1]!, 'approve'))).toBe('approved');
  });

  it('is what closing a wallet does to all that waits, before its money leaves', async () => {
    const wallet = await askingWallet(10_000);
    const { id } = await payPending(one, wallet, { amount: 7_000 });
    const close = (body: object) =>
      one.post<{ data: { withdrawal: { amount: number } } }>(`/api/wallets/${wallet.id}/close`, {
        token: wallet.owner.token,
        body,
      });
    expect((await close({})).status).toBe(409);
    expect(await held(wallet)).toMatchObject({ held: 7_000 });
    expect((await close({ payoutTo: ACCOUNT })).body.data.withdrawal.amount).toBe(10_000);
    const [approval] = (await list(wallet)).data;
    expect(approval).toMatchObject({ id, status: 'denied', decidedBy: wallet.owner.id });
    expect(outcome(await approve(wallet, id))).toBe('409 APPROVAL_ALREADY_DECIDED');
    expect((await one.stats(wallet)).balance).toBe(0);
  });
});

describe('webhooks of approvals', () => {
  it('are sent and signed, when a person is asked and when it is decided', async () => {
    const receiver = await Receiver.start();
    try {
      await one.setClock(null);
      const wallet = await one.fundedWallet(50_000);
      const { token } = wallet.owner;
      await askAbove(one, wallet, 1_000);
      const events = ['approval.requested', 'approval.decided', 'payment.approved', 'payment.blocked'];
      const made = await one.post<{ data: { secret: string } }>('/v1/webhook-endpoints', {
        token,
        body: { url: receiver.url('/'), events },
      });
      const { secret } = expectStatus(201, made).body.data;
      const approved = await payPending(one, wallet, { amount: 2_000, reason: 'Chairs' });
      const denied = await payPending(one, wallet, { amount: 3_000 });
      await approve(wallet, approved.id);
      await deny(wallet, denied.id, { note: 'No' });
      await until(() => Promise.resolve(receiver.received.length >= 6));
      const sent = receiver.received.map((each) => verified(each, secret)) as {
        event: string;
        data: Record<string, unknown>;
      }[];
      const of = (event: string, id: string) =>
        sent.find((each) => each.event === event && each.data['transactionId'] === id)?.data;
      expect(of('approval.requested', approved.id)).toEqual({
        transactionId: approved.id,
        walletId: wallet.id,
        amount: 2_000,
        currency: 'NGN',
        merchant: 'acme stores',
        merchantName: 'Acme Stores',
        recipientAccountNo: '0123456789',
        recipientBankCode: '058',
        reason: 'Chairs',
        keyId: expect.any(String) as unknown,
        keyPrefix: wallet.key.slice(0, 16),
        keyName: null,
        requestedAt: expect.any(String) as unknown,
        expiresAt: approved.expiresAt,
      });
      expect(of('approval.decided', approved.id)).toMatchObject({
        outcome: 'approved',
        decidedById: wallet.owner.id,
        keyPrefix: wallet.key.slice(0, 16),
        note: null,
      });
      expect(of('approval.decided', denied.id)).toMatchObject({ outcome: 'denied', note: 'No' });
      expect(of('payment.approved', approved.id)).toMatchObject({ amount: 2_000 });
      expect(of('payment.blocked', denied.id)).toMatchObject({ blockReason: 'APPROVAL_DENIED' });
      expect(sent).toHaveLength(6);
    } finally {
      await moveTo(desk.nowMs);
      await receiver.close();
    }
  });
});
