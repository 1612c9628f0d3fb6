import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { Bank } from '../src/contexts/bank/bank.port.js';
import { ApprovalsService } from '../src/contexts/payments/approvals/approvals.service.js';
import { askAbove, decide } from './support/approvals.js';
import { brokenInvariants } from './support/invariants.js';
import {
  account,
  carryOutPayeeStep,
  expectSamePayees,
  NaivePayees,
  type NaivePayment,
  type PayeeStep,
  payeeStep,
} from './support/payee-model.js';
import { recipient } from './support/payees.js';
import {
  type Answer,
  type CreatedWallet,
  FAR_AHEAD,
  type PaymentAnswer,
  startService,
  type TestService,
} from './support/service.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START_MS = Date.parse('2026-01-01T00:00:00.000Z');
/** How long a payment waits for its owner. */
const TTL_MS = 20 * HOUR_MS;

/** The bank fails payments of this amount; all of one amount, so that the order of their refunds is no matter. */
const FAILING_AMOUNT = 7;

let service: TestService;
/** What the bank waits for before it answers: a step's payments are decided before any of them is refunded. */
let decided: Promise<unknown> = Promise.resolve();
beforeAll(async () => {
  service = await startService({ clock: true });
  const bank = service.app.get(Bank, { strict: false });
  jest.spyOn(bank, 'startPayout').mockImplementation(async ({ amount }) => {
    await decided;
    return amount === FAILING_AMOUNT
      ? { kind: 'failed', reason: 'an unlucky number' }
      : { kind: 'succeeded' };
  });
});
afterAll(async () => {
  jest.restoreAllMocks();
  await service.setClock(null);
  await service.close();
});

interface Rules {
  readonly spendLimitPerTx: number;
  readonly spendLimitPeriod: number;
  readonly periodWindowDays: number;
  /** After the start of the run. */
  readonly expiryMs: number;
  readonly useAllowlist: boolean;
  /** Above it a person decides. */
  readonly approvalThreshold: number | null;
}
type Step =
  | { readonly do: 'top up'; readonly amount: number }
  | { readonly do: 'decide'; readonly nth: number; readonly word: 'approve' | 'deny' }
  | { readonly do: 'withdraw'; readonly amount: number | 'all' }
  | {
      readonly do: 'pay';
      readonly payments: readonly { readonly amount: number; readonly to: string }[];
      readonly merchant: 'Acme' | 'Other';
    }
  | PayeeStep
  | { readonly do: 'wait'; readonly ms: number };

interface Attempt {
  readonly amount: number;
  readonly merchant: string;
  blockReason: string | null;
  readonly atMs: number;
  readonly payment: NaivePayment;
  waits: boolean;
  refunded: boolean;
}

/** The specification again, written to be read: it keeps all history, and adds it up for every question. */
class NaiveWallet {
  readonly attempts: Attempt[] = [];
  readonly entries: { type: string; amount: number; balanceAfter: number }[] = [];
  readonly payees = new NaivePayees(START_MS);
  nowMs = START_MS;

  constructor(private readonly rules: Rules) {}

  get balance(): number {
    return this.entries.reduce((sum, { type, amount }) => sum + (type === 'debit' ? -amount : amount), 0);
  }

  /** What counts in the window now: approved and waiting, by the time of the request. */
  private get counted(): readonly Attempt[] {
    const { periodWindowDays } = this.rules;
    return this.attempts
      .filter(({ blockReason, refunded }) => !blockReason && !refunded)
      .filter(({ atMs }) => atMs > this.nowMs - periodWindowDays * DAY_MS);
  }

  get spent(): number {
    return sum(this.counted.filter(({ waits }) => !waits));
  }

  get allowance(): number {
    return this.rules.spendLimitPeriod - sum(this.counted);
  }

  get waiting(): Attempt[] {
    return this.attempts.filter(({ waits }) => waits);
  }

  get held(): number {
    return sum(this.waiting);
  }

  topUp(amount: number): void {
    this.entries.push({ type: 'topup', amount, balanceAfter: this.balance + amount });
  }

  pay(amount: number, merchant: string, to: string): string | null {
    const { approvalThreshold } = this.rules;
    const payment = { amount, merchant: merchant.toLowerCase(), account: to, atMs: this.nowMs };
    const blockReason = this.blocks(amount, merchant) ?? this.payees.blocks(payment);
    const waits = !blockReason && approvalThreshold !== null && amount > approvalThreshold;
    this.attempts.push({ amount, merchant, blockReason, atMs: this.nowMs, payment, waits, refunded: false });
    if (blockReason) return blockReason;
    this.payees.count(payment);
    if (waits) return 'waits';
    this.approve(payment);
    return null;
  }

  private approve(payment: NaivePayment): void {
    this.debit(payment.amount);
    this.payees.approve(payment, this.nowMs);
  }

  private debit(amount: number): void {
    this.entries.push({ type: 'debit', amount, balanceAfter: this.balance - amount });
  }

  /** What the owner's word on a waiting attempt is answered with. */
  decide(attempt: Attempt, word: 'approve' | 'deny'): string {
    if (word === 'approve' && this.nowMs >= START_MS + this.rules.expiryMs) return 'WALLET_EXPIRED';
    attempt.waits = false;
    if (word === 'approve') this.approve(attempt.payment);
    else this.end(attempt, 'APPROVAL_DENIED');
    return word === 'approve' ? 'approved' : 'denied';
  }

  lapse(): void {
    for (const attempt of this.waiting) {
      if (this.nowMs < attempt.atMs + TTL_MS) continue;
      attempt.waits = false;
      this.end(attempt, 'APPROVAL_EXPIRED');
    }
  }

  private end(attempt: Attempt, blockReason: string): void {
    attempt.blockReason = blockReason;
    this.payees.giveBack(attempt.payment);
  }

  withdraw(asked: number | 'all'): number {
    const available = this.balance - this.held;
    const amount = asked === 'all' ? available : asked;
    if (amount === 0 || amount > available) return 402;
    this.debit(amount);
    if (amount === FAILING_AMOUNT) {
      this.entries.push({ type: 'refund', amount, balanceAfter: this.balance + amount });
    }
    return 201;
  }

  /** Gives back what the bank did not pay. */
  refund(): void {
    for (const attempt of this.attempts) {
      if (attempt.blockReason || attempt.waits || attempt.refunded) continue;
      if (attempt.amount !== FAILING_AMOUNT) continue;
      attempt.refunded = true;
      this.payees.giveBack(attempt.payment);
      this.entries.push({
        type: 'refund',
        amount: attempt.amount,
        balanceAfter: this.balance + attempt.amount,
      });
    }
  }

  private blocks(amount: number, merchant: string): string | null {
    const { spendLimitPerTx, expiryMs, useAllowlist } = this.rules;
    if (!(this.nowMs < START_MS + expiryMs)) return 'WALLET_EXPIRED';
    if (!(amount <= spendLimitPerTx)) return 'SPEND_LIMIT_PER_TX_EXCEEDED';
    if (!(amount <= this.allowance)) return 'SPEND_LIMIT_PER_PERIOD_EXCEEDED';
    if (useAllowlist && merchant !== 'Acme') return 'MERCHANT_NOT_ALLOWED';
    if (!(amount <= this.balance - this.held)) return 'INSUFFICIENT_FUNDS';
    return null;
  }
}

const sum = (attempts: readonly Attempt[]): number =>
  attempts.reduce((total, { amount: of }) => total + of, 0);
const decisionOf = ({ blockReason, waits }: Attempt): string =>
  waits ? 'pending' : blockReason ? 'blocked' : 'approved';

const amount = fc.oneof(
  fc.integer({ min: 1, max: 12 }),
  fc.integer({ min: 1, max: 60 }),
  fc.constant(FAILING_AMOUNT),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('top up' as const), amount: fc.integer({ min: 1, max: 80 }) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('pay' as const),
      payments: fc.array(fc.record({ amount, to: account }), { minLength: 1, maxLength: 4 }),
      merchant: fc.constantFrom('Acme' as const, 'Other' as const),
    }),
  },
  { weight: 3, arbitrary: payeeStep },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('decide' as const),
      nth: fc.nat({ max: 20 }),
      word: fc.constantFrom('approve' as const, 'deny' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('withdraw' as const),
      amount: fc.oneof(fc.integer({ min: 1, max: 30 }), fc.constantFrom(FAILING_AMOUNT, 'all' as const)),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.constantFrom(0, 1, HOUR_MS, 12 * HOUR_MS, DAY_MS - 1, DAY_MS, DAY_MS + 1, 2 * DAY_MS),
    }),
  },
);
const rules: fc.Arbitrary<Rules> = fc
  .record({
    spendLimitPerTx: fc.integer({ min: 8, max: 50 }),
    more: fc.integer({ min: 0, max: 60 }),
    periodWindowDays: fc.constantFrom(1, 2),
    expiryMs: fc.constantFrom(4 * DAY_MS, 30 * DAY_MS),
    useAllowlist: fc.boolean(),
    approvalThreshold: fc.oneof(fc.constant(null), fc.integer({ min: 1, max: 30 })),
  })
  .map(({ more, ...rest }) => ({ ...rest, spendLimitPeriod: rest.spendLimitPerTx + more }));

async function carryOut(one: Step, wallet: CreatedWallet, model: NaiveWallet): Promise<void> {
  if (one.do === 'wait') {
    model.nowMs += one.ms;
    await service.setClock(new Date(model.nowMs));
    await service.app.get(ApprovalsService).lapseDue();
    model.lapse();
  } else if (one.do === 'top up') {
    await service.topUp(wallet.id, one.amount);
    model.topUp(one.amount);
  } else if (one.do === 'decide') {
    await decideOn(one, wallet, model);
  } else if (one.do === 'withdraw') {
    const { status } = await service.post(`/api/wallets/${wallet.id}/withdrawals`, {
      token: wallet.owner.token,
      body: { amount: one.amount, accountNumber: '0123456789', bankCode: '058' },
      headers: { 'idempotency-key': randomUUID() },
    });
    expect(status).toBe(model.withdraw(one.amount));
    await service.settled();
  } else if (one.do !== 'pay') {
    await carryOutPayeeStep(one, service, wallet, model.payees);
    // A change has a time of its own, later than what it follows: the clock is to be past it.
    model.nowMs += 2;
    await service.setClock(new Date(model.nowMs));
  } else {
    // At once: what is decided in one transaction must be decided as if one after the other.
    const payments = Promise.all(
      one.payments.map(({ amount: of, to }) =>
        service.pay(wallet.key, { amount: of, merchantName: one.merchant, ...recipient(to) }),
      ),
    );
    decided = payments;
    const answers = await payments;
    const expected = one.payments.map(({ amount: of, to }) => model.pay(of, one.merchant, to));
    expect(answers.map(answerOf)).toEqual(expected);
    await service.settled();
    model.refund();
  }
}

const answerOf = ({ status, body }: Answer<PaymentAnswer>): string | null =>
  status === 201 ? null : status === 202 ? 'waits' : body.code;

/** The owner says a word on what waits, if anything does. */
async function decideOn(
  { nth, word }: Step & { do: 'decide' },
  wallet: CreatedWallet,
  model: NaiveWallet,
): Promise<void> {
  const waiting = model.waiting;
  const attempt = waiting[nth % (waiting.length || 1)];
  if (!attempt) return;
  const place = model.attempts.indexOf(attempt) + 1;
  const [row] = await service.query<{ id: string }>(
    'SELECT id FROM transactions WHERE wallet_id = $1 AND seq = $2',
    [wallet.id, place],
  );
  const { status, body } = await decide(service, wallet, row!.id, word);
  expect(status === 200 ? body.data.approval.status : body.error.code).toBe(model.decide(attempt, word));
  await service.settled();
  model.refund();
}

async function expectSame(wallet: CreatedWallet, model: NaiveWallet, limits: Rules): Promise<void> {
  const { spendLimitPerTx, spendLimitPeriod, approvalThreshold } = limits;
  const { balance, held } = model;
  expect(await service.stats(wallet)).toEqual({
    balance,
    spendLimitPerTx,
    spendLimitPeriod,
    spentThisPeriod: model.spent,
    remainingAllowance: model.allowance,
    ...(approvalThreshold !== null && { held, available: balance - held }),
  });
}

async function expectSamePages(wallet: CreatedWallet, model: NaiveWallet, pageSize: number): Promise<void> {
  const attempts = [...model.attempts].reverse();
  const entries = [...model.entries].reverse();
  for (let page = 1; page <= Math.ceil(Math.max(attempts.length, entries.length) / pageSize) + 1; page += 1) {
    const query = `?page=${page}&pageSize=${pageSize}`;
    const cut = <Row>(rows: readonly Row[]) => rows.slice((page - 1) * pageSize, page * pageSize);
    const history = await service.history(wallet, query);
    expect(
      history.data.map((row) => [
        row.amount,
        row.merchant,
        row.decision,
        row.blockReason,
        Date.parse(row.createdAt),
      ]),
    ).toEqual(
      cut(attempts).map((each) => [
        each.amount,
        each.merchant.toLowerCase(),
        decisionOf(each),
        each.blockReason,
        each.atMs,
      ]),
    );
    for (const decision of ['approved', 'blocked', 'pending']) {
      const own = attempts.filter((each) => decisionOf(each) === decision);
      const narrowed = await service.history(wallet, `${query}&decision=${decision}`);
      expect(narrowed.data.map(({ amount: of, createdAt }) => [of, Date.parse(createdAt)])).toEqual(
        cut(own).map(({ amount: of, atMs }) => [of, atMs]),
      );
      expect(narrowed.pagination.totalCount).toBe(own.length);
    }
    expect(history.pagination).toEqual({
      page,
      pageSize,
      totalCount: attempts.length,
      totalPages: Math.ceil(attempts.length / pageSize),
    });
    const ledger = await service.ledger(wallet, query);
    expect(
      ledger.data.map(({ type, amount: of, balanceAfter }) => ({ type, amount: of, balanceAfter })),
    ).toEqual(cut(entries));
    expect(ledger.pagination.totalCount).toBe(entries.length);
  }
}

describe('the service and a naive model of it', () => {
  it('agree on every decision, balance, statistic and page, whatever happens in whatever order', async () => {
    await fc.assert(
      fc.asyncProperty(
        rules,
        fc.array(step, { minLength: 5, maxLength: 25 }),
        fc.integer({ min: 1, max: 9 }),
        async ({ expiryMs, ...limits }, steps, pageSize) => {
          await service.setClock(new Date(START_MS));
          const model = new NaiveWallet({ expiryMs, ...limits });
          const wallet = await service.createWallet(undefined, {
            spendLimitPerTx: limits.spendLimitPerTx,
            spendLimitPeriod: limits.spendLimitPeriod,
            periodWindowDays: limits.periodWindowDays,
            useAllowlist: limits.useAllowlist,
            expiry: new Date(START_MS + expiryMs).toISOString(),
            merchantAllowlist: limits.useAllowlist ? [' ACME '] : [],
          });
          await service.query(`UPDATE sessions SET expires_at = '${FAR_AHEAD}'`);
          if (limits.approvalThreshold !== null) {
            await askAbove(service, wallet, limits.approvalThreshold, {
              approvalTtlMinutes: TTL_MS / 60_000,
            });
            // A change is later than what was before it, also where the clock stands still.
            model.nowMs += 1_000;
            await service.setClock(new Date(model.nowMs));
          }
          for (const each of steps) {
            await carryOut(each, wallet, model);
            await expectSame(wallet, model, { expiryMs, ...limits });
          }
          await expectSamePages(wallet, model, pageSize);
          await expectSamePayees(service, wallet, model.payees);
          expect(await brokenInvariants(service)).toEqual({});
        },
      ),
      { numRuns: 20, interruptAfterTimeLimit: 60_000 },
    );
  }, 120_000);
});
