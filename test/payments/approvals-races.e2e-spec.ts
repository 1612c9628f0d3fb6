import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ApprovalsService } from '../../src/contexts/payments/approvals/approvals.service.js';
import { approvalIn, payPending } from '../support/approvals.js';
import { ApprovalsDesk, outcome } from '../support/approvals-desk.js';
import { type CreatedWallet, type TestService } from '../support/service.js';

const desk = new ApprovalsDesk();
const { approve, askingWallet, decisions, deny, either, held, list, moveTo } = desk;

let one: TestService;
let other: TestService;

beforeAll(async () => {
  ({ one, other } = await desk.start());
});
afterEach(() => desk.check());
afterAll(() => desk.close());

describe('approve, deny and lapse at once', () => {
  it('come to one outcome thirty times, the hold spent or released exactly once', async () => {
    const wallet = await askingWallet(10_000_000, { spendLimitPeriod: 100_000_000 });
    let spent = 0;
    const ends = new Set<string>();
    for (let i = 0; i < 30; i += 1) {
      const amount = 2_000 + i;
      const { id } = await payPending(either(i), wallet, { amount });
      // It lapses with the next tick of the clock, which is part of the race.
      await one.query('UPDATE transactions SET approval_expires_at = $2 WHERE id = $1', [
        id,
        new Date(desk.nowMs + 1),
      ]);
      const lapse = async () => {
        await moveTo(desk.nowMs + 1);
        await Promise.all([one, other].map((service) => service.app.get(ApprovalsService).expireDue()));
      };
      const racers = [
        () => approve(wallet, id, {}, one),
        () => deny(wallet, id, {}, other),
        lapse,
        () => approve(wallet, id, {}, other),
        () => deny(wallet, id, {}, one),
      ];
      // Each has the best start in turn; now and then somebody is done before the others begin. Thirty rounds have all cases.
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

const countOf = async (wallet: CreatedWallet, decision: string): Promise<number> =>
  (await one.history(wallet, `?decision=${decision}`)).pagination.totalCount;
