import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Database } from '../../src/platform/database/database.js';
import { type ApprovalBody, askAbove, decide, lapseAll, payPending } from '../support/approvals.js';
import { ApprovalsDesk, HOUR_MS, outcome } from '../support/approvals-desk.js';
import {
  type Answer,
  type CreatedWallet,
  expectStatus,
  FAR_AHEAD,
  type HistoryRow,
  type TestService,
} from '../support/service.js';

const desk = new ApprovalsDesk();
const { approve, askingWallet, decisions, deny, list, moveTo, verdicts } = desk;

let one: TestService;
let other: TestService;

beforeAll(async () => {
  ({ one, other } = await desk.start());
});
afterEach(() => desk.check());
afterAll(() => desk.close());

describe('an approval', () => {
  it('carries the one final status of its payment, as the payment itself does', async () => {
    const wallet = await askingWallet(50_000);
    verdicts.set(8_004, { kind: 'failed', reason: 'no such account' });
    const wait = async (amount: number) => (await payPending(one, wallet, { amount })).id;
    const lapses = await payPending(one, wallet, { amount: 2_000 });
    await moveTo(desk.nowMs + HOUR_MS);
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
      await moveTo(desk.nowMs + 1_000);
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

describe('what an owner decides by', () => {
  const ids = (data: readonly { readonly id: string }[]) => data.map(({ id }) => id);

  it('is listed by what expires soonest where that is asked for, over pages, of pending ones alone', async () => {
    const wallet = await askingWallet(50_000, { approvalTtlMinutes: 240 });
    const late = await payPending(one, wallet, { amount: 2_000 });
    await askAbove(one, wallet, 1_000, { approvalTtlMinutes: 60 });
    const soon = await payPending(one, wallet, { amount: 2_001 });
    await askAbove(one, wallet, 1_000, { approvalTtlMinutes: 120 });
    const between = await payPending(one, wallet, { amount: 2_002 });
    const soonest = '?status=pending&sort=expiresAt';
    expect(ids((await list(wallet, soonest)).data)).toEqual([soon.id, between.id, late.id]);
    expect(ids((await list(wallet, `${soonest}&page=2&pageSize=2`)).data)).toEqual([late.id]);
    expect(ids((await list(wallet, '?status=pending')).data)).toEqual([between.id, soon.id, late.id]);
    const { token } = wallet.owner;
    const refused = await one.get<ApprovalBody>('/v1/approvals?sort=expiresAt', { token });
    expect([refused.status, refused.body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
  });

  it('names why it waits, the key, whether the account was paid before, and then who decided', async () => {
    const wallet = await askingWallet(50_000);
    const { token } = wallet.owner;
    const read = async (id: string) =>
      (await one.get<ApprovalBody>(`/v1/approvals/${id}`, { token })).body.data.approval;
    const first = await payPending(one, wallet, { amount: 2_000 });
    expect(await read(first.id)).toMatchObject({
      threshold: 1_000,
      paidBefore: { payments: 0, lastAt: null, since: null },
      transaction: { key: { prefix: wallet.key.slice(0, 16), name: null } },
    });
    // One that is blocked and one to another account are no payments to it.
    expectStatus(403, await one.pay(wallet.key, { amount: 1_000_000_000 }));
    expectStatus(201, await one.pay(wallet.key, { amount: 10, recipientAccountNo: '0000000001' }));
    const paid = expectStatus(201, await one.pay(wallet.key, { amount: 11 }));
    const second = await payPending(one, wallet, { amount: 2_000 });
    const { createdAt } = (paid.body.data as unknown as { transaction: { createdAt: string } }).transaction;
    expect(await read(second.id)).toMatchObject({
      paidBefore: { payments: 1, lastAt: createdAt, since: null },
    });
    expect(await read(first.id)).not.toHaveProperty('decidedByEmail');
    await approve(wallet, first.id);
    expect(await read(first.id)).toMatchObject({
      status: 'approved',
      decidedByEmail: wallet.owner.email,
      paidBefore: { payments: 0 },
    });
    expect((await read(second.id)).paidBefore?.payments).toBe(2);
  });

  it('names who decided in the payment’s own steps, to members and to no agent', async () => {
    const wallet = await askingWallet(50_000);
    const { token, id: userId } = wallet.owner;
    const stepsOf = async (path: string, as: object) => {
      const { body } = expectStatus(200, await one.get<{ data: HistoryRow }>(path, as));
      return body.data.auditEvents.filter(({ type }) => type.startsWith('approval.'));
    };
    const first = await payPending(one, wallet, { amount: 2_000 });
    const second = await payPending(one, wallet, { amount: 2_500 });
    await approve(wallet, first.id);
    await deny(wallet, second.id);
    for (const [id, type] of [
      [first.id, 'approval.approved'],
      [second.id, 'approval.denied'],
    ] as const) {
      const steps = await stepsOf(`/v1/wallets/${wallet.id}/transactions/${id}`, { token });
      expect(steps.map((step) => [step.type, step.detail['decidedBy']])).toEqual([
        ['approval.requested', undefined],
        [type, userId],
      ]);
      const { text } = expectStatus(200, await one.get(`/api/payment-intent/${id}`, { key: wallet.key }));
      expect(text).not.toContain(userId);
    }
  });
});
