import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type pg from 'pg';
import { Bank, type PayoutState } from '../../src/contexts/bank/bank.port.js';
import { ApprovalsService } from '../../src/contexts/payments/approvals/approvals.service.js';
import { Database } from '../../src/platform/database/database.js';
import { SpendableWallets } from '../../src/contexts/wallet/wallet.port.js';
import {
  type Approval,
  type ApprovalBody,
  approvalIn,
  askAbove,
  decide,
  lapseAll,
  payPending,
} from '../support/approvals.js';
import { brokenInvariants } from '../support/invariants.js';
import { Receiver, verified } from '../support/receiver.js';
import {
  type Answer,
  type CreatedWallet,
  expectStatus,
  FAR_AHEAD,
  type HistoryRow,
  type PageOf,
  startService,
  type Stats,
  type TestService,
  until,
} from '../support/service.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START_MS = Date.parse('2026-03-01T08:00:00.000Z');
const ACCOUNT = { accountNumber: '0123456789', bankCode: '058' };

let one: TestService;
let other: TestService;
let nowMs = START_MS;
/** What the bank says of a payout of this amount; of any other, that it was paid. */
const verdicts = new Map<number, PayoutState>();

beforeAll(async () => {
  one = await startService({ clock: true, env: { WEBHOOK_RETRY_SECONDS: '0.2,0.2,0.2' } });
  other = await startService({ beside: one });
  for (const service of [one, other]) {
    jest
      .spyOn(service.app.get(Bank, { strict: false }), 'startPayout')
      .mockImplementation(({ amount }) =>
        Promise.resolve(verdicts.get(amount) ?? ({ kind: 'succeeded' } as const)),
      );
  }
  await moveTo(START_MS);
});
afterEach(async () => {
  await moveTo(nowMs + 1_000);
  await one.settled();
  expect(await brokenInvariants(one)).toEqual({});
});
afterAll(async () => {
  jest.restoreAllMocks();
  await one.setClock(null);
  await other.close();
  await one.close();
});

const either = (i: number): TestService => (i % 2 === 0 ? one : other);
async function moveTo(ms: number): Promise<void> {
  nowMs = ms;
  await one.setClock(new Date(ms));
}
const iso = (ms: number): string => new Date(ms).toISOString();

/** A wallet with money whose payments above 1,000 kobo wait for a person. */
async function askingWallet(kobo: number, fields: Record<string, unknown> = {}): Promise<CreatedWallet> {
  const wallet = await one.fundedWallet(kobo, fields);
  await one.query(`UPDATE sessions SET expires_at = '${FAR_AHEAD}'`);
  await askAbove(one, wallet, 1_000);
  // A change is later than what was before it, also where the clock stands still.
  await moveTo(nowMs + 1_000);
  return wallet;
}
const approve = (wallet: CreatedWallet, id: string, body: object = {}, service = one) =>
  decide(service, wallet, id, 'approve', body);
const deny = (wallet: CreatedWallet, id: string, body: object = {}, service = one) =>
  decide(service, wallet, id, 'deny', body);
const outcome = ({ status, body }: Answer<ApprovalBody>): string =>
  status === 200 ? body.data.approval.status : `${status} ${body.error.code}`;
const list = async ({ owner }: Pick<CreatedWallet, 'owner'>, query = ''): Promise<PageOf<Approval>> =>
  expectStatus(200, await one.get<PageOf<Approval>>(`/v1/approvals${query}`, { token: owner.token })).body;
const attempt = async (wallet: CreatedWallet, id: string): Promise<HistoryRow> =>
  expectStatus(200, await one.get<{ data: HistoryRow }>(`/api/payment-intent/${id}`, { key: wallet.key }))
    .body.data;
const held = async (wallet: CreatedWallet): Promise<{ held: number; available: number }> =>
  (await one.stats(wallet)) as Stats & { held: number; available: number };
const decisions = async (wallet: CreatedWallet, decision: string): Promise<number[]> =>
  (await one.history(wallet, `?decision=${decision}`)).data.map(({ amount }) => amount);

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
            createdAt: iso(nowMs),
          },
          approval: { id: transaction.id, expiresAt: iso(nowMs + DAY_MS) },
        },
      },
    ]);
  });

  it('waits as long as its wallet says', async () => {
    const wallet = await askingWallet(50_000);
    await askAbove(one, wallet, 1_000, { approvalTtlMinutes: 1 });
    await moveTo(nowMs + 1_000);
    expect((await payPending(one, wallet, { amount: 2_000 })).expiresAt).toBe(iso(nowMs + 60_000));
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
      at: iso(nowMs),
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

describe('approving', () => {
  it('debits at that moment, settles like any other payment, and is on record', async () => {
    const wallet = await askingWallet(50_000);
    await one.pay(wallet.key, { amount: 1_000 });
    const { id } = await payPending(one, wallet, { amount: 8_000, merchantName: 'Chair Makers' });
    const requestedMs = nowMs;
    await moveTo(nowMs + HOUR_MS);
    await one.pay(wallet.key, { amount: 300 });
    const { status, body } = await approve(wallet, id, { note: ' Agreed ' });
    expect([status, body.data.approval]).toEqual([
      200,
      {
        id,
        walletId: wallet.id,
        status: 'approved',
        expiresAt: iso(requestedMs + DAY_MS),
        decidedAt: iso(nowMs),
        decidedBy: wallet.owner.id,
        note: 'Agreed',
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
      createdAt: iso(nowMs),
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
      at: iso(nowMs),
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
    await moveTo(nowMs + HOUR_MS);
    const approvedMs = nowMs;
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
    const requestedMs = nowMs;
    const [approved, denied, lapsed] = [
      await payPending(one, wallet, { amount: 2_000 }),
      await payPending(one, wallet, { amount: 3_000 }),
      await payPending(one, wallet, { amount: 4_000 }),
    ];
    expect(await decidedAt(approved.id)).toBe(iso(requestedMs));
    await moveTo(nowMs + HOUR_MS);
    await approve(wallet, approved.id);
    await deny(wallet, denied.id);
    expect([await decidedAt(approved.id), await decidedAt(denied.id)]).toEqual([iso(nowMs), iso(nowMs)]);
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
    const wallet = await askingWallet(50_000, { expiry: iso(nowMs + 2 * HOUR_MS) });
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
    await moveTo(nowMs + 2 * HOUR_MS);
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
    const requestedMs = nowMs;
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
    await moveTo(nowMs + HOUR_MS);
    await approve(wallet, id);
    await one.settled();
    expect(await one.stats(wallet)).toMatchObject({ balance: 50_000, held: 0, spentThisPeriod: 0 });
    expect((await one.ledger(wallet)).data.map(({ type }) => type)).toEqual(['refund', 'debit', 'topup']);
    expect((await attempt(wallet, id)).settlement?.status).toBe('failed');
  });
});

describe('an approval', () => {
  it('carries the one final status of its payment, as the payment itself does', async () => {
    const wallet = await askingWallet(50_000);
    verdicts.set(8_004, { kind: 'failed', reason: 'no such account' });
    const wait = async (amount: number) => (await payPending(one, wallet, { amount })).id;
    const lapses = await payPending(one, wallet, { amount: 2_000 });
    await moveTo(nowMs + HOUR_MS);
    const [paid, failed, denied] = [await wait(2_001), await wait(8_004), await wait(2_002)];
    for (const id of [paid, failed]) await approve(wallet, id);
    await deny(wallet, denied);
    await one.settled();
    await moveTo(Date.parse(lapses.expiresAt));
    await lapseAll(one);
    const waits = await wait(2_003);
    const expected = new Map([
      [waits, 'awaiting_approval'],
      [denied, 'denied'],
      [failed, 'failed'],
      [paid, 'paid'],
      [lapses.id, 'expired'],
    ]);
    const { data } = await list(wallet);
    expect(data.map(({ id, transaction: { status } }) => [id, status])).toEqual([...expected]);
    const { token } = wallet.owner;
    for (const [id, status] of expected) {
      const read = await one.get<ApprovalBody>(`/v1/approvals/${id}`, { token });
      expect(read.body.data.approval.transaction.status).toBe(status);
      const payment = await one.get<{ data: HistoryRow & { status: string } }>(
        `/api/wallets/${wallet.id}/transactions/${id}`,
        { token },
      );
      expect(payment.body.data.status).toBe(status);
    }
  });
});

describe('a list of one decision', () => {
  /** What the list holds where `id` is approved as soon as anything was read for it. */
  async function whileApproved(wallet: CreatedWallet, id: string, query: string): Promise<number[]> {
    const { reads } = one.app.get(Database);
    const read = reads.query.bind(reads);
    let isDecided = false;
    const reading = jest.spyOn(reads, 'query').mockImplementation(async (text, values) => {
      const rows = await read(text, values);
      if (!isDecided && text.includes('AS refused')) {
        isDecided = true;
        expect(outcome(await approve(wallet, id, {}, other))).toBe('approved');
      }
      return rows;
    });
    const { data } = await one.history(wallet, query);
    reading.mockRestore();
    expect(isDecided).toBe(true);
    return data.map(({ amount }) => amount);
  }

  it('is of one moment, also where what waits is decided while it is read', async () => {
    const wallet = await askingWallet(50_000);
    const { id } = await payPending(one, wallet, { amount: 2_000 });
    expectStatus(201, await one.pay(wallet.key, { amount: 10 }));
    expect(await whileApproved(wallet, id, '?decision=pending')).toEqual([2_000]);
    expect(await decisions(wallet, 'pending')).toEqual([]);
    expect(await decisions(wallet, 'approved')).toEqual([10, 2_000]);
  });

  it('leaves out no payment for one that is approved while it is read', async () => {
    const wallet = await askingWallet(50_000);
    const { id } = await payPending(one, wallet, { amount: 2_000 });
    for (const amount of [10, 11]) expectStatus(201, await one.pay(wallet.key, { amount }));
    expect(await whileApproved(wallet, id, '?decision=approved')).toEqual([11, 10]);
    expect(await decisions(wallet, 'approved')).toEqual([11, 10, 2_000]);
  });
});

describe('the list of approvals', () => {
  it('counts what it shows, also where one is denied while it is read', async () => {
    const wallet = await askingWallet(50_000);
    const { id } = await payPending(one, wallet, { amount: 2_000 });
    await payPending(one, wallet, { amount: 2_001 });
    const { reads } = one.app.get(Database);
    const read = reads.query.bind(reads);
    let denied: Promise<Answer<ApprovalBody>> | undefined;
    const reading = jest.spyOn(reads, 'query').mockImplementation(async (text, values) => {
      const rows = await read(text, values);
      if (text.includes('AS total')) await (denied ??= deny(wallet, id, {}, other));
      return rows;
    });
    const { data, pagination } = await list(wallet, '?status=pending');
    reading.mockRestore();
    expect(outcome((await denied)!)).toBe('denied');
    expect([data.length, pagination.totalCount]).toEqual([2, 2]);
    expect((await list(wallet, '?status=pending&page=2')).pagination.totalCount).toBe(1);
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
      at: iso(nowMs),
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

describe('an approval without a decision', () => {
  it('can be approved up to the last millisecond and never after, whether or not the task has run', async () => {
    const wallet = await askingWallet(50_000);
    const [first, second, third] = [
      await payPending(one, wallet, { amount: 2_000 }),
      await payPending(one, wallet, { amount: 3_000 }),
      await payPending(one, wallet, { amount: 4_000 }),
    ];
    // Nobody looks for lapsed ones but who decides.
    const idle = jest.spyOn(ApprovalsService.prototype, 'lapseDue').mockResolvedValue();
    try {
      await moveTo(Date.parse(first.expiresAt) - 1);
      expect(outcome(await approve(wallet, first.id))).toBe('approved');
      await moveTo(nowMs + 1);
      expect(outcome(await approve(wallet, second.id))).toBe('409 APPROVAL_ALREADY_DECIDED');
      expect(outcome(await deny(wallet, third.id))).toBe('409 APPROVAL_ALREADY_DECIDED');
    } finally {
      idle.mockRestore();
    }
    const { data } = await list(wallet);
    expect(data.map(({ status, decidedBy }) => [status, decidedBy])).toEqual([
      ['expired', null],
      ['expired', null],
      ['approved', wallet.owner.id],
    ]);
    expect(await one.stats(wallet)).toMatchObject({ balance: 48_000, held: 0 });
  });

  it('is denied by closing its wallet up to the last millisecond, and has lapsed after it', async () => {
    const wallets = [await askingWallet(10_000), await askingWallet(10_000)] as const;
    const asked = [
      await payPending(one, wallets[0], { amount: 7_000 }),
      await payPending(one, wallets[1], { amount: 7_000 }),
    ] as const;
    await one.query('UPDATE transactions SET approval_expires_at = $1 WHERE id = ANY ($2)', [
      asked[0].expiresAt,
      asked.map(({ id }) => id),
    ]);
    const close = async ({ id, owner: { token } }: CreatedWallet) =>
      expectStatus(200, await one.post(`/api/wallets/${id}/close`, { token, body: { payoutTo: ACCOUNT } }));
    // Nobody looks for lapsed ones but who closes.
    const idle = jest.spyOn(ApprovalsService.prototype, 'lapseDue').mockResolvedValue();
    try {
      await moveTo(Date.parse(asked[0].expiresAt) - 1);
      await close(wallets[0]);
      await moveTo(nowMs + 1);
      await close(wallets[1]);
    } finally {
      idle.mockRestore();
    }
    const ends = [(await list(wallets[0])).data[0], (await list(wallets[1])).data[0]];
    expect(ends).toMatchObject([
      { status: 'denied', decidedBy: wallets[0].owner.id, note: 'The wallet was closed.' },
      { status: 'expired', decidedBy: null, note: null },
    ]);
    for (const wallet of wallets) expect((await one.stats(wallet)).balance).toBe(0);
  });

  it('lapses also while that of another wallet can not', async () => {
    const [stuck, free] = [await askingWallet(10_000), await askingWallet(10_000)];
    const first = await payPending(one, stuck, { amount: 7_000 });
    await moveTo(nowMs + 1);
    const second = await payPending(one, free, { amount: 7_000 });
    const [locks] = [one, other].map(({ app }) => app.get(SpendableWallets, { strict: false }));
    const { lockById } = locks!;
    const lock = jest
      .spyOn(Object.getPrototypeOf(locks) as SpendableWallets, 'lockById')
      .mockImplementation(function (this: SpendableWallets, id, tx) {
        return id === stuck.id ? Promise.reject(new Error('out of order')) : lockById.call(this, id, tx);
      });
    try {
      await moveTo(Date.parse(second.expiresAt));
      await one.app.get(ApprovalsService).lapseDue();
      expect((await list(free)).data[0]).toMatchObject({ id: second.id, status: 'expired' });
      expect((await list(stuck)).data[0]).toMatchObject({ id: first.id, status: 'pending' });
    } finally {
      lock.mockRestore();
    }
    await lapseAll(one);
    expect((await list(stuck)).data[0]).toMatchObject({ id: first.id, status: 'expired' });
  });

  it('lapses though a wallet in which a hundred are overdue can not let go of them', async () => {
    const [stuck, sound] = [await askingWallet(300_000), await askingWallet(50_000)];
    const waiting = await Promise.all(
      Array.from({ length: 100 }, () => payPending(one, stuck, { amount: 2_000 })),
    );
    const { id, expiresAt } = await payPending(one, sound, { amount: 2_000 });
    const hold = (kobo: number) => one.query('UPDATE wallets SET held = $2 WHERE id = $1', [stuck.id, kobo]);
    await hold(199_999);
    await moveTo(Math.max(...[expiresAt, ...waiting.map((each) => each.expiresAt)].map(Date.parse)));
    await one.app.get(ApprovalsService).lapseDue();
    expect((await attempt(sound, id)).blockReason).toBe('APPROVAL_EXPIRED');
    expect(await held(sound)).toMatchObject({ held: 0, available: 50_000 });
    await hold(200_000);
    await lapseAll(one);
    expect(await held(stuck)).toMatchObject({ held: 0, available: 300_000 });
  });

  it('lapses by itself: blocked, released, and its allowance given back', async () => {
    const wallet = await askingWallet(10_000, { spendLimitPerTx: 9_000, spendLimitPeriod: 10_000 });
    const { id, expiresAt } = await payPending(one, wallet, { amount: 8_000 });
    await moveTo(Date.parse(expiresAt));
    await until(async () => (await attempt(wallet, id)).decision === 'blocked');
    expect(await attempt(wallet, id)).toMatchObject({ blockReason: 'APPROVAL_EXPIRED', settlement: null });
    expect(await one.stats(wallet)).toMatchObject({ balance: 10_000, held: 0, spentThisPeriod: 0 });
    const { token } = wallet.owner;
    const days = await one.get<{ data: { blocked: number }[] }>(
      `/v1/wallets/${wallet.id}/spend-by-day?days=3`,
      { token },
    );
    expect(days.body.data.reduce((sum, { blocked }) => sum + blocked, 0)).toBe(1);
    await payPending(one, wallet, { amount: 9_000 });
  });
});

describe('approve, deny and lapse at once', () => {
  it('come to one outcome a hundred times, the hold spent or released exactly once', async () => {
    const wallet = await askingWallet(10_000_000, { spendLimitPeriod: 100_000_000 });
    let spent = 0;
    const ends = new Set<string>();
    for (let i = 0; i < 100; i += 1) {
      const amount = 2_000 + i;
      const { id } = await payPending(either(i), wallet, { amount });
      // It lapses with the next tick of the clock, which is part of the race.
      await one.query('UPDATE transactions SET approval_expires_at = $2 WHERE id = $1', [
        id,
        new Date(nowMs + 1),
      ]);
      const lapse = async () => {
        await moveTo(nowMs + 1);
        await Promise.all([one, other].map((service) => service.app.get(ApprovalsService).lapseDue()));
      };
      const racers = [
        () => approve(wallet, id, {}, one),
        () => deny(wallet, id, {}, other),
        lapse,
        () => approve(wallet, id, {}, other),
        () => deny(wallet, id, {}, one),
      ];
      // Each has the best start in turn; now and then somebody is done before the others begin.
      const order = [...racers.slice(i % 3), ...racers.slice(0, i % 3)];
      if (i % 10 < 3) await order.shift()!();
      const answers = (await Promise.all(order.map((race) => race()))).filter(
        (answer) => answer !== undefined,
      );
      const { status, transaction } = (await list(wallet, '?pageSize=1')).data[0]!;
      ends.add(status);
      expect(transaction).toMatchObject({
        id,
        decision: status === 'approved' ? 'approved' : 'blocked',
        blockReason: { approved: null, denied: 'APPROVAL_DENIED', expired: 'APPROVAL_EXPIRED' }[status],
      });
      for (const answer of answers) {
        expect([status, '409 APPROVAL_ALREADY_DECIDED']).toContain(outcome(answer));
      }
      if (status === 'approved') spent += amount;
      expect(await one.stats(wallet)).toMatchObject({
        balance: 10_000_000 - spent,
        held: 0,
        spentThisPeriod: spent,
      });
    }
    expect([...ends].sort()).toEqual(['approved', 'denied', 'expired']);
    const debits = await one.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM ledger_entries WHERE wallet_id = $1 AND type = 'debit'`,
      [wallet.id],
    );
    expect(debits[0]!.count).toBe(
      await decisions(wallet, 'approved').then(() => countOf(wallet, 'approved')),
    );
  }, 60_000);
});

const countOf = async (wallet: CreatedWallet, decision: string): Promise<number> =>
  (await one.history(wallet, `?decision=${decision}`)).pagination.totalCount;

describe('fifty payers on two replicas, some of whose payments wait', () => {
  it('take the balance and no kobo more, and all that waits can be approved', async () => {
    const wallet = await askingWallet(20_000);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => either(i).pay(wallet.key, { amount: i % 3 === 0 ? 2_000 : 500 })),
    );
    const taken = answers.reduce(
      (sum, { status }, i) => (status < 300 ? sum + (i % 3 === 0 ? 2_000 : 500) : sum),
      0,
    );
    expect(taken).toBe(20_000);
    expect(await held(wallet)).toMatchObject({ available: 0 });
    const waiting = (await list(wallet, '?pageSize=100')).data;
    expect(waiting.length).toBeGreaterThan(0);
    await Promise.all(waiting.map(({ id }, i) => approve(wallet, id, {}, either(i))));
    expect(await one.stats(wallet)).toMatchObject({ balance: 0, held: 0, spentThisPeriod: 20_000 });
  });

  it('never pass the limit of the period, with denials among them', async () => {
    const wallet = await askingWallet(1_000_000, { spendLimitPerTx: 10_000, spendLimitPeriod: 20_000 });
    await Promise.all(
      Array.from({ length: 50 }, async (_, i) => {
        const answer = await either(i).pay(wallet.key, { amount: i % 2 === 0 ? 2_000 : 500 });
        if (answer.status !== 202 || i % 4 !== 0) return;
        await deny(wallet, approvalIn(answer).id, {}, either(i + 1));
      }),
    );
    const { spentThisPeriod, remainingAllowance } = await one.stats(wallet);
    expect(remainingAllowance).toBeGreaterThanOrEqual(0);
    expect(spentThisPeriod).toBeLessThanOrEqual(20_000);
  });
});

describe('approvals of another user', () => {
  it('are neither listed nor found, and can not be decided', async () => {
    const wallet = await askingWallet(50_000);
    const { id } = await payPending(one, wallet, { amount: 2_000 });
    const stranger = await one.createWallet();
    await one.query(`UPDATE sessions SET expires_at = '${FAR_AHEAD}'`);
    expect((await list(stranger)).data).toEqual([]);
    for (const word of ['approve', 'deny'] as const) {
      expect(outcome(await decide(one, stranger, id, word))).toBe('404 APPROVAL_NOT_FOUND');
      expect(outcome(await decide(one, wallet, randomUUID(), word))).toBe('404 APPROVAL_NOT_FOUND');
      expect(outcome(await decide(one, wallet, 'x', word))).toBe('404 APPROVAL_NOT_FOUND');
      const { status } = await one.post(`/v1/approvals/${id}/${word}`, { key: wallet.key, body: {} });
      expect(status).toBe(401);
    }
    const paid = await one.pay(wallet.key, { amount: 100 });
    const { id: plain } = paid.body.data.transaction;
    expect(outcome(await approve(wallet, plain))).toBe('404 APPROVAL_NOT_FOUND');
    expect((await one.get(`/v1/approvals/${id}`, { token: stranger.owner.token })).status).toBe(404);
    const own = await one.get<ApprovalBody>(`/v1/approvals/${id}`, { token: wallet.owner.token });
    expect([own.status, own.body.data.approval.status]).toEqual([200, 'pending']);
  });

  it('are listed newest first, by status and wallet, in pages', async () => {
    const first = await askingWallet(50_000);
    const second = await one.createWallet(first.owner);
    await one.topUp(second.id, 50_000);
    await askAbove(one, second, 1_000);
    const ids: string[] = [];
    for (const wallet of [first, second, first]) {
      await moveTo(nowMs + 1_000);
      ids.unshift((await payPending(one, wallet, { amount: 2_000 })).id);
    }
    await approve(first, ids[2]!);
    const listed = async (query: string) => (await list(first, query)).data.map(({ id }) => ids.indexOf(id));
    expect(await listed('')).toEqual([0, 1, 2]);
    expect(await listed('?page=2&pageSize=2')).toEqual([2]);
    expect(await listed('?status=pending')).toEqual([0, 1]);
    expect(await listed('?status=approved')).toEqual([2]);
    expect(await listed('?status=denied')).toEqual([]);
    expect(await listed(`?walletId=${second.id}`)).toEqual([1]);
    const { token } = first.owner;
    const status = async (query: string) => (await one.get(`/v1/approvals${query}`, { token })).status;
    expect([
      await status('?status=odd'),
      await status('?page=0'),
      await status(`?walletId=${randomUUID()}`),
      await status('?walletId=a&walletId=b'),
    ]).toEqual([400, 400, 404, 400]);
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
        requestedAt: expect.any(String) as unknown,
        expiresAt: approved.expiresAt,
      });
      expect(of('approval.decided', approved.id)).toMatchObject({
        outcome: 'approved',
        decidedById: wallet.owner.id,
        note: null,
      });
      expect(of('approval.decided', denied.id)).toMatchObject({ outcome: 'denied', note: 'No' });
      expect(of('payment.approved', approved.id)).toMatchObject({ amount: 2_000 });
      expect(of('payment.blocked', denied.id)).toMatchObject({ blockReason: 'APPROVAL_DENIED' });
      expect(sent).toHaveLength(6);
    } finally {
      await moveTo(nowMs);
      await receiver.close();
    }
  });
});

describe('the database itself', () => {
  it.each<[string, (id: string, walletId: string) => string, string]>([
    [
      'a payment of another amount than was decided on',
      (id) => `UPDATE transactions SET amount = amount + 1 WHERE id = '${id}'`,
      'final',
    ],
    [
      'a payment that is decided again',
      (id) =>
        `UPDATE transactions SET approval = 'pending', approval_decided_at = NULL, approval_decided_by = NULL WHERE id = '${id}'`,
      'final',
    ],
    [
      'an outcome that contradicts the block',
      (id) => `UPDATE transactions SET block_reason = 'APPROVAL_DENIED' WHERE id = '${id}'`,
      'transactions_check',
    ],
    [
      'a denial that blocks nothing',
      (id) => `UPDATE transactions SET approval = 'denied' WHERE id = '${id}'`,
      'transactions_check',
    ],
    [
      'an expiry under the name of a denial',
      (id) =>
        `UPDATE transactions SET approval = 'expired', block_reason = 'APPROVAL_DENIED' WHERE id = '${id}'`,
      'transactions_check',
    ],
    [
      'an approval at its expiry',
      (id) => `UPDATE transactions SET approval_decided_at = approval_expires_at WHERE id = '${id}'`,
      'transactions_check',
    ],
    [
      'an approval that never expires',
      (id) => `UPDATE transactions SET approval_expires_at = NULL WHERE id = '${id}'`,
      'transactions_check',
    ],
    [
      'an approval without its time',
      (id) => `UPDATE transactions SET approval_decided_at = NULL WHERE id = '${id}'`,
      'transactions_check',
    ],
    [
      'a time of decision where nobody was asked',
      (id) => `UPDATE transactions SET approval = NULL, approval_expires_at = NULL WHERE id = '${id}'`,
      'transactions_check',
    ],
    [
      'an expiry where nobody was asked',
      (id) => `UPDATE transactions SET approval = NULL, approval_decided_at = NULL WHERE id = '${id}'`,
      'transactions_check',
    ],
    [
      'an unknown outcome',
      (id) => `UPDATE transactions SET approval = 'maybe' WHERE id = '${id}'`,
      'transactions_check',
    ],
    [
      'a pending payment that was decided',
      (id) => `UPDATE transactions SET approval = 'pending' WHERE id = '${id}'`,
      'transactions_check',
    ],
    [
      'a hold past the balance',
      (_, walletId) => `UPDATE wallets SET held = balance + 1, held_count = 1 WHERE id = '${walletId}'`,
      'wallets_check',
    ],
    [
      'a hold below zero',
      (_, walletId) => `UPDATE wallets SET held = -1 WHERE id = '${walletId}'`,
      'wallets_check',
    ],
  ])('refuses %s', async (_, statement, guard) => {
    const wallet = await askingWallet(50_000);
    const { id } = await payPending(one, wallet, { amount: 2_000 });
    await approve(wallet, id);
    const refused = one.query(statement(id, wallet.id)).then(
      () => 'nothing',
      (error: unknown) => (error as pg.DatabaseError).constraint ?? String(error),
    );
    expect(await refused).toContain(guard);
  });
});
