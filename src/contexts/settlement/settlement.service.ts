import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Bank, type CircuitOpen, type PayoutState } from '../bank/bank.port.js';
import { CaseOpened } from '../operations/operations.events.js';
import { Config } from '../../platform/config.js';
import { PaymentApproved } from '../payments/payments.events.js';
import { recipientOf } from '../payments/payments.port.js';
import { WithdrawalRequested } from '../wallet/wallet.events.js';
import { currentRequestId, withRequestId } from '../../platform/observability/request-id.js';
import { currentTraceParent, withTraceParent } from '../../platform/observability/tracing.js';
import { databaseNow } from '../../platform/database/clock.js';
import { Database } from '../../platform/database/database.js';
import type { Tx } from '../../platform/database/tx.js';
import { Events, InTransaction } from '../../platform/events/events.js';
import { Jobs } from '../../platform/jobs/jobs.js';
import type { RecurringTask } from '../../platform/jobs/recurring-task.js';
import { isRefusalFinal, isStillPaid, pollDelaySeconds, toSettlementOutcome } from './settlement.domain.js';
import {
  FORMER_POLL_JOB,
  POLL_JOB,
  schedulePoll,
  SettlementOutcomes,
} from './settlement-outcomes.service.js';
import { SettlementMetrics } from './settlement-metrics.service.js';
import type { Verdict } from './settlement-results.store.js';
import { type NewSettlement, type SettlementRow, SettlementStore } from './settlement.store.js';
import { SubmissionQueue } from './submission-queue.js';
import { mapped } from '../../kernel/mapped.js';

/** Time a submission may need beyond its bank call. */
const SEND_MARGIN_MS = 5_000;
const SUBMIT_WITHIN_MS = 100;
/** Wait in memory for submission: as long as the lease allows. Older payouts go back to the sweep. */
const SUBMISSION_WAIT_MS_MIN = 4_000;
const SUBMISSION_WAIT_MS_MAX = 15_000;
/** With the sweep, a dead replica's payouts are taken over within 45 s. */
const LEASE_MS_MAX = 39_000;
const RENEW_LEASES_MS = 10_000;
const SUBMISSIONS_MAX = 10_000;

/** One of `payoutConcurrency`. */
interface Worker {
  readonly task: RecurringTask;
  /** Next database sweep, by the monotonic clock. */
  sweepAt: number;
}

/**
 * A settlement opens in its payment's transaction, leased by this process, and is submitted from memory after
 * the commit. All submissions reuse one reference: none pays twice. After a crash the bank is asked first.
 * Only its answer ends a settlement.
 */
@Injectable()
export class SettlementService implements BeforeApplicationShutdown {
  private readonly log = new Logger(SettlementService.name);
  private readonly pollSeconds: number;
  /** Outlasts the wait and one bank call, and is renewed in longer ones: a dead replica's payouts wait for it. */
  private readonly leaseMs: number;
  /** No submission starts this close to the end of its lease. */
  private readonly sendMs: number;
  private readonly submissions: SubmissionQueue<SettlementRow>;
  private readonly sweepMs: number;
  private readonly workers: readonly Worker[];
  private isStopping = false;
  /** By the monotonic clock. */
  private circuitOpenUntil = 0;

  constructor(
    private readonly store: SettlementStore,
    private readonly outcomes: SettlementOutcomes,
    private readonly bank: Bank,
    private readonly database: Database,
    private readonly events: Events,
    private readonly jobs: Jobs,
    private readonly metrics: SettlementMetrics,
    config: Config,
  ) {
    metrics.watchCircuit(() => this.circuitOpenMs());
    this.pollSeconds = config.SETTLEMENT_POLL_SECONDS;
    const { callMsMax = Infinity } = bank.capabilities;
    this.sendMs = Math.min(config.BANK_TIMEOUT_MS, callMsMax) + SEND_MARGIN_MS;
    const waitMs = Math.min(SUBMISSION_WAIT_MS_MAX, LEASE_MS_MAX - this.sendMs);
    this.submissions = new SubmissionQueue(SUBMISSIONS_MAX, Math.max(SUBMISSION_WAIT_MS_MIN, waitMs));
    this.leaseMs = this.submissions.waitMsMax + this.sendMs;
    for (const job of [POLL_JOB, FORMER_POLL_JOB]) {
      jobs.define<{ reference: string }>(job, ({ reference }) => this.poll(reference));
    }
    this.sweepMs = Math.min(this.pollSeconds, 5) * 1_000;
    this.workers = Array.from({ length: bank.capabilities.payoutConcurrency }, () => {
      const worker: Worker = { task: jobs.every(this.sweepMs, () => this.run(worker)), sweepAt: 0 };
      return worker;
    });
  }

  @InTransaction(PaymentApproved)
  open(payments: readonly PaymentApproved[], tx: Tx): void {
    const isOurs = !this.isStopping && !this.isCircuitOpen() && this.submissions.hasRoom(payments.length);
    const leasedAt = performance.now();
    const leaseMs = isOurs ? this.leaseMs : null;
    const sendBefore = leasedAt + this.leaseMs - this.sendMs;
    const settlements = mapped(payments, (payment) => settlementOf(payment, leaseMs, sendBefore));
    this.store.open(settlements, tx);
    tx.afterCommit(() => {
      if (isOurs) this.submissions.add(settlements, leasedAt);
      else this.sweepSoon();
      this.wakeWorkers();
    });
  }

  /** Withdrawals settle like payments but publish their own events. */
  @InTransaction(WithdrawalRequested)
  openWithdrawals(withdrawals: readonly WithdrawalRequested[], tx: Tx): void {
    this.store.open(
      withdrawals.map(({ withdrawalId, at, ...payout }) => ({
        ...payout,
        reference: withdrawalId,
        approvedAt: at,
        isWithdrawal: true,
        leasedUntil: null,
        requestId: currentRequestId() ?? null,
        traceParent: currentTraceParent(),
      })),
      tx,
    );
    tx.afterCommit(() => {
      this.sweepSoon();
      this.wakeWorkers();
    });
  }

  /** Releases unsent payouts, so that other replicas need not wait for the leases. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    await this.releaseSubmissions();
  }

  private async releaseSubmissions(): Promise<void> {
    await this.release(this.submissions.drain());
  }

  private async release(unsent: readonly SettlementRow[]): Promise<void> {
    if (unsent.length === 0) return;
    await this.store.release(unsent);
    this.sweepSoon();
  }

  private sweepSoon(): void {
    for (const worker of this.workers) worker.sweepAt = 0;
  }

  private wakeWorkers(): void {
    for (const { task } of this.workers) task.triggerWithin(SUBMIT_WITHIN_MS);
  }

  private async run(worker: Worker): Promise<void> {
    await this.submitNew();
    if (performance.now() < worker.sweepAt) return;
    // Runs come slightly early or late.
    worker.sweepAt = performance.now() + this.sweepMs / 2;
    await this.processDue();
  }

  /** Later arrivals form the next batch. */
  private async submitNew(): Promise<void> {
    let left = this.submissions.size;
    while (left > 0 && !this.isCircuitOpen()) {
      await this.release(this.submissions.takeExpired());
      const settlements = this.submissions.dequeue(Math.min(left, this.bank.capabilities.payoutsPerBatch));
      left = Math.min(left - settlements.length, this.submissions.size);
      await this.ask(settlements, (settlement) => this.bank.startPayout(settlement));
    }
  }

  /**
   * Submits new ones, polls the rest, and resubmits those unknown to the bank. Safe with any number of
   * workers and replicas.
   */
  async processDue(): Promise<void> {
    const most = this.bank.capabilities.payoutsPerBatch;
    while (!this.isCircuitOpen()) {
      const claimedAt = performance.now();
      const claimed = await this.store.claimDue(most, this.leaseMs / 1_000);
      const sendBefore = claimedAt + this.leaseMs - this.sendMs;
      const due = claimed.map((settlement) => ({ ...settlement, sendBefore }));
      await this.ask(due, (settlement) =>
        settlement.isNew ? this.bank.startPayout(settlement) : this.pollOrResubmit(settlement),
      );
      if (due.length < most) return;
    }
  }

  /**
   * Resubmits a payout the bank does not know. Its refusal is final only after the grace period: the earlier
   * submission may still be accepted.
   */
  private async pollOrResubmit(settlement: SettlementRow): Promise<PayoutState> {
    const known = await this.getPayout(settlement);
    if (known.kind !== 'not-found') return known;
    const sentMsAgo = settlement.submittedMsAgo ?? 0;
    if (!(await this.store.recordSubmission(settlement, 0))) {
      return { kind: 'unknown', reason: 'another worker has taken it' };
    }
    const resent = await this.bank.startPayout(settlement);
    if (resent.kind !== 'rejected' || isRefusalFinal(sentMsAgo)) return resent;
    await this.store.recordSubmission(settlement, sentMsAgo);
    return {
      ...resent,
      kind: 'unknown',
      reason: `refused when sent again: ${resent.reason}; the first may still be accepted`,
    };
  }

  /** A bank's webhook is a hint, never a fact. */
  async schedulePoll(reference: string): Promise<void> {
    if (await this.store.find(reference)) await this.pollIn(0, reference);
  }

  private pollIn(delaySeconds: number, reference: string): Promise<void> {
    return this.database.transaction((tx) => schedulePoll(this.jobs, reference, delaySeconds, tx));
  }

  /** Polls one payout, final or not, once the circuit is closed. */
  async poll(reference: string): Promise<void> {
    const settlement = await this.store.find(reference);
    if (!settlement) return;
    if (!this.isCircuitOpen()) await this.askFor(settlement);
    if (this.isCircuitOpen()) await this.pollIn(this.circuitOpenMs() / 1_000, reference);
  }

  /** Asks even while the circuit is open. */
  async askFor(settlement: SettlementRow): Promise<PayoutState> {
    const state = await this.getPayout(settlement);
    await this.tripCircuit(state);
    const outcome = toSettlementOutcome(state);
    if (outcome && !isStillPaid(settlement, outcome))
      await this.outcomes.recordAll([{ settlement, outcome }]);
    return state;
  }

  private getPayout({ reference, requestId, traceParent }: SettlementRow): Promise<PayoutState> {
    const ask = () => withTraceParent(traceParent, () => this.bank.getPayout(reference));
    return requestId ? withRequestId(requestId, ask) : ask();
  }

  private async ask<Row extends SettlementRow>(
    settlements: readonly Row[],
    question: (settlement: Row) => Promise<PayoutState>,
  ): Promise<void> {
    if (settlements.length === 0) return;
    const startedAt = performance.now();
    const states = await this.renewing(settlements, () => Promise.all(settlements.map(question)));
    this.metrics.bankAnswered(startedAt);
    // Separate: wallets lock in id order within one event only.
    const [payments, withdrawals]: [Verdict[], Verdict[]] = [[], []];
    const unfinished: SettlementRow[] = [];
    for (let i = 0; i < settlements.length; i += 1) {
      const settlement = settlements[i] as Row;
      const state = states[i] as PayoutState;
      await this.tripCircuit(state);
      const outcome = toSettlementOutcome(state);
      if (!outcome) unfinished.push(settlement);
      else (settlement.isWithdrawal ? withdrawals : payments).push({ settlement, outcome });
    }
    for (const verdicts of [payments, withdrawals]) {
      for (const { settlement } of await this.outcomes.recordAll(verdicts)) unfinished.push(settlement);
    }
    if (unfinished.length === 0) return;
    await this.store.reschedulePolls(
      unfinished.map(({ reference, leasedUntil, pollCount }) => ({
        reference,
        leasedUntil,
        seconds: pollDelaySeconds(pollCount, this.pollSeconds),
      })),
    );
    await this.outcomes.openStuckPayoutCases(unfinished);
  }

  /** Renews the leases until `work`, whose bank calls are bounded, is done. */
  private async renewing<T>(settlements: readonly SettlementRow[], work: () => Promise<T>): Promise<T> {
    let renewal: Promise<void> | undefined;
    const timer = setInterval(() => {
      renewal ??= this.renew(settlements).finally(() => (renewal = undefined));
    }, RENEW_LEASES_MS);
    try {
      return await work();
    } finally {
      clearInterval(timer);
      await renewal;
    }
  }

  /** Leaves those alone that another worker took, or whose end is recorded. */
  private async renew(settlements: readonly SettlementRow[]): Promise<void> {
    const renewedAt = performance.now();
    const leases = await this.store.renew(settlements, this.leaseMs / 1_000).catch((error: unknown) => {
      this.log.warn(`leases of settlements were not renewed: ${String(error)}`);
      return new Map<string, Date>();
    });
    for (const settlement of settlements) {
      const leasedUntil = leases.get(settlement.reference);
      if (!leasedUntil) continue;
      settlement.leasedUntil = leasedUntil;
      settlement.sendBefore = renewedAt + this.leaseMs - this.sendMs;
    }
  }

  private isCircuitOpen(): boolean {
    return this.circuitOpenMs() > 0;
  }

  /** Milliseconds until the bank may be called again; 0 if it may. */
  circuitOpenMs(): number {
    return Math.max(0, this.circuitOpenUntil - performance.now());
  }

  private async tripCircuit(state: PayoutState): Promise<void> {
    if ('circuitOpen' in state && state.circuitOpen) await this.openCircuit(state.circuitOpen, state.reason);
  }

  /** Pauses calls to the bank. The sweep submits what waits. */
  private async openCircuit({ seconds: asked, needsOperator }: CircuitOpen, reason: string): Promise<void> {
    const isNew = !this.isCircuitOpen();
    const seconds = asked ?? pollDelaySeconds(1, this.pollSeconds);
    this.circuitOpenUntil = Math.max(this.circuitOpenUntil, performance.now() + seconds * 1_000);
    if (!isNew) return;
    this.log.warn(`bank circuit open for ${seconds} s: ${reason}`);
    await this.releaseSubmissions();
    if (!needsOperator) return;
    await this.database.transaction(async (tx) => {
      // UTC.
      const subject = (await databaseNow(tx)).toISOString().slice(0, 10);
      await this.events.publish(
        [new CaseOpened({ kind: 'bank-access-denied', subject, walletId: null, description: reason })],
        tx,
      );
    });
  }
}

function settlementOf(
  payment: PaymentApproved,
  leaseMs: number | null,
  sendBefore: number,
): SettlementRow & NewSettlement {
  const { accountNumber, bankCode } = recipientOf(payment.details);
  return {
    reference: payment.transactionId,
    walletId: payment.walletId,
    amount: payment.details.amount,
    accountNumber,
    bankCode,
    // Shown to the recipient.
    narration: payment.details.reason || payment.details.merchantName,
    status: leaseMs === null ? 'pending' : 'processing',
    pollCount: 0,
    approvedAt: payment.at,
    requestId: payment.requestId,
    traceParent: payment.traceParent ?? null,
    isWithdrawal: false,
    approvedMsAgo: 0,
    submittedMsAgo: leaseMs === null ? null : 0,
    leasedUntil: leaseMs === null ? null : new Date(payment.at.getTime() + leaseMs),
    sendBefore,
  };
}
