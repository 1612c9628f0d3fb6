import { Injectable, Logger } from '@nestjs/common';
import { Bank, type CircuitOpen, type PayoutState } from '../bank/bank.port.js';
import { CaseOpened } from '../operations/operations.events.js';
import { Config } from '../../platform/config.js';
import { PaymentApproved } from '../payments/payments.events.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { isUnavailable } from '../../platform/database/failures.js';
import { AppError } from '../../kernel/errors.js';
import { Events, InTransaction } from '../../platform/events/events.js';
import { Jobs } from '../../platform/jobs/jobs.js';
import type { RecurringTask } from '../../platform/jobs/recurring-task.js';
import { SettlementFailed, SettlementSucceeded } from './settlement.events.js';
import {
  outcomeConflict,
  isOpen,
  isRefusalFinal,
  pollDelaySeconds,
  stepsOf,
  STUCK_AFTER_MS,
  type SettlementOutcome,
  toSettlementOutcome,
} from './settlement.domain.js';
import { type SettlementRow, SettlementStore } from './settlement.store.js';

/** Approved payments of this long go to the bank together, in milliseconds: a hand-over costs less in company. */
const SUBMIT_WITHIN_MS = 100;
/** What a lane may need besides its calls to the bank, in milliseconds. */
const LEASE_MARGIN_MS = 30_000;
const LOOK = 'settlement.look';

/** What the bank said of a settlement that was asked for. */
interface Answer {
  readonly settlement: SettlementRow;
  readonly state: PayoutState;
}

/**
 * Moves the money of approved payments out: `pending → processing → succeeded | failed | reversed`.
 * A settlement is opened in the payment's transaction and handed to the bank after the commit, always under the
 * same reference, so that no doubt can pay twice; after any doubt the bank is asked. Only its own answer ends it.
 */
@Injectable()
export class SettlementService {
  private readonly log = new Logger(SettlementService.name);
  private readonly pollSeconds: number;
  /**
   * How long a lane that took settlements has them to itself: longer than the three calls that one may take, so that
   * a payout is never sent by two at once.
   */
  private readonly leaseSeconds: number;
  private readonly lanes: readonly RecurringTask[];
  /** Until when the bank takes nothing from us, by the monotonic clock. */
  private circuitOpenUntil = 0;

  constructor(
    private readonly store: SettlementStore,
    private readonly bank: Bank,
    private readonly database: Database,
    private readonly events: Events,
    private readonly jobs: Jobs,
    config: Config,
  ) {
    this.pollSeconds = config.SETTLEMENT_POLL_SECONDS;
    this.leaseSeconds = Math.ceil((3 * config.BANK_TIMEOUT_MS + LEASE_MARGIN_MS) / 1_000);
    jobs.define<{ reference: string }>(LOOK, ({ reference }) => this.look(reference));
    this.lanes = Array.from({ length: bank.capabilities.payoutConcurrency }, () =>
      jobs.every(Math.min(this.pollSeconds, 5) * 1_000, () => this.processDue()),
    );
  }

  /** A settlement is due from its first moment: once the payment is committed, the lanes take it. */
  @InTransaction(PaymentApproved)
  open(payments: readonly PaymentApproved[], tx: Tx): void {
    this.store.open(payments, tx);
    tx.afterCommit(() => {
      for (const lane of this.lanes) lane.triggerWithin(SUBMIT_WITHIN_MS);
    });
  }

  /**
   * Takes what is due until nothing is: hands new payouts to the bank, asks for those that are under way, and hands
   * one that the bank does not know over again. Any number of lanes and replicas may do so at once.
   */
  async processDue(): Promise<void> {
    const most = this.bank.capabilities.payoutsPerBatch;
    while (!this.isCircuitOpen()) {
      const due = await this.store.claimDue(most, this.leaseSeconds);
      await this.ask(due, (settlement) =>
        settlement.isNew ? this.bank.startPayout(payoutOf(settlement)) : this.pollOrResubmit(settlement),
      );
      if (due.length < most) return;
    }
  }

  /**
   * A refusal of a second sending is believed once the one before is surely dead: it may have been slow, and may
   * still be accepted. What was refused outright is not under way, so it does not count as a sending.
   */
  private async pollOrResubmit(settlement: SettlementRow): Promise<PayoutState> {
    const { reference } = settlement;
    const known = await this.bank.getPayout(reference);
    if (known.kind !== 'not-found') return known;
    const sentMsAgo = settlement.submittedMsAgo ?? 0;
    await this.store.recordSubmission(reference, 0);
    const resent = await this.bank.startPayout(payoutOf(settlement));
    if (resent.kind !== 'rejected' || isRefusalFinal(sentMsAgo)) return resent;
    await this.store.recordSubmission(reference, sentMsAgo);
    return {
      ...resent,
      kind: 'unknown',
      why: `refused when sent again: ${resent.why}; the first may still be accepted`,
    };
  }

  /** Notes that the provider has news of a payout: a hint to go and ask, never a fact. */
  async schedulePoll(reference: string): Promise<void> {
    if (!(await this.store.find(reference))) return;
    await this.database.transaction((tx) => {
      this.jobs.schedule(tx, LOOK, { reference }, { key: `${LOOK} ${reference}` });
    });
  }

  /** Asks the bank for one payout, also for one that ended before. */
  async look(reference: string): Promise<void> {
    const settlement = await this.store.find(reference);
    if (settlement) await this.askFor(settlement);
  }

  /** The bank's word on a payout, which is put on record. */
  async askFor(settlement: SettlementRow): Promise<PayoutState> {
    const state = await this.bank.getPayout(settlement.reference);
    await this.recordAll([{ settlement, state }]);
    return state;
  }

  private async ask<Row extends SettlementRow>(
    settlements: readonly Row[],
    question: (settlement: Row) => Promise<PayoutState>,
  ): Promise<void> {
    if (settlements.length === 0) return;
    const answers = await Promise.all(
      settlements.map(async (settlement): Promise<Answer> => {
        const state = await question(settlement);
        if ('closed' in state && state.closed) await this.openCircuit(state.closed, state.why);
        return { settlement, state };
      }),
    );
    const unrecorded = await this.recordAll(answers);
    const unfinished = answers.filter(
      (answer) => toSettlementOutcome(answer.state) === null || unrecorded.includes(answer),
    );
    if (unfinished.length === 0) return;
    await this.store.reschedulePolls(
      unfinished.map(({ settlement: { reference, looks } }) => ({
        reference,
        seconds: pollDelaySeconds(looks, this.pollSeconds),
      })),
    );
    await this.openStuckPayoutCases(unfinished.map(({ settlement }) => settlement));
  }

  private isCircuitOpen(): boolean {
    return performance.now() < this.circuitOpenUntil;
  }

  /** Leaves the bank alone for a while; what is not handed over in the meantime waits, and the sweep takes it. */
  private async openCircuit({ seconds: asked, needsOperator }: CircuitOpen, why: string): Promise<void> {
    const isNew = !this.isCircuitOpen();
    const seconds = asked ?? pollDelaySeconds(1, this.pollSeconds);
    this.circuitOpenUntil = Math.max(this.circuitOpenUntil, performance.now() + seconds * 1_000);
    if (!isNew) return;
    this.log.warn(`the bank takes nothing from us for ${seconds} s: ${why}`);
    if (!needsOperator) return;
    const today = new Date().toISOString().slice(0, 10);
    await this.database.transaction((tx) =>
      this.events.publish(
        [new CaseOpened({ kind: 'bank-refuses-us', subject: today, walletId: null, description: why })],
        tx,
      ),
    );
  }

  private async openStuckPayoutCases(unfinished: readonly SettlementRow[]): Promise<void> {
    const stuck = unfinished.filter(({ approvedMsAgo }) => approvedMsAgo > STUCK_AFTER_MS);
    if (stuck.length === 0) return;
    await this.database.transaction((tx) =>
      this.events.publish(
        stuck.map(
          ({ reference, walletId }) =>
            new CaseOpened({
              kind: 'payout-stuck',
              subject: reference,
              walletId,
              description: 'the bank has not settled this payout for a day',
            }),
        ),
        tx,
      ),
    );
  }

  /**
   * Puts answers on record together, or one by one when that fails, so that no settlement waits for a neighbour's
   * fault. Answers those that can't be recorded: they stay open, and are asked for again ever more seldom.
   */
  private async recordAll(answers: readonly Answer[]): Promise<readonly Answer[]> {
    try {
      await this.record(answers);
      return [];
    } catch (error) {
      if (error instanceof AppError || isUnavailable(error)) throw error;
      if (answers.length > 1) {
        const unrecorded: Answer[] = [];
        for (const answer of answers) unrecorded.push(...(await this.recordAll([answer])));
        return unrecorded;
      }
      this.log.error(
        `the end of ${answers[0]?.settlement.reference} can't be put on record: ${String(error)}`,
      );
      return answers;
    }
  }

  /**
   * Puts the bank's final answers on record: an open settlement ends, once, and what was not paid is refunded in
   * the same transaction; an answer that contradicts an end before opens a case and moves nothing.
   */
  private async record(answers: readonly Answer[]): Promise<void> {
    const verdicts = answers.flatMap(({ settlement, state }) => {
      const verdict = toSettlementOutcome(state);
      return verdict ? [{ settlement, verdict }] : [];
    });
    if (verdicts.length === 0) return;
    const at = new Date().toISOString();
    await this.database.transaction(async (tx) => {
      const statuses = await this.store.lock(
        verdicts.map(({ settlement: { reference } }) => reference),
        tx,
      );
      const judged = verdicts.flatMap(({ settlement, verdict }) => {
        const status = statuses.get(settlement.reference);
        return status ? [{ settlement: { ...settlement, status }, verdict }] : [];
      });
      const ending = judged.filter(({ settlement }) => isOpen(settlement.status));
      if (ending.length > 0) {
        this.store.end(
          ending.map(({ settlement: { reference, amount }, verdict }) => ({
            reference,
            status: verdict.status,
            steps: stepsOf(verdict, amount, at),
          })),
          tx,
        );
      }
      const unpaid = ending.filter(({ verdict }) => verdict.status !== 'succeeded');
      await this.events.publish(
        unpaid.map(
          ({ settlement: { reference, walletId, amount, paidAt }, verdict }) =>
            new SettlementFailed({
              reference,
              walletId,
              amount,
              paidAt: paidAt.toISOString(),
              why: verdict.why,
            }),
        ),
        tx,
      );
      const paid = ending.filter(({ verdict }) => verdict.status === 'succeeded');
      await this.events.publish(
        paid.map(
          ({ settlement: { reference, walletId, amount } }) =>
            new SettlementSucceeded({ reference, walletId, amount, at }),
        ),
        tx,
      );
      await this.events.publish(judged.flatMap(caseOf), tx);
    });
  }
}

function payoutOf({ reference, amount, bankCode, accountNo, narration }: SettlementRow) {
  return { reference, amount, bankCode, accountNumber: accountNo, narration };
}

/** What a person must know of a verdict: that it contradicts an earlier one, or that our own float ran short. */
function caseOf({
  settlement,
  verdict,
}: {
  settlement: SettlementRow;
  verdict: SettlementOutcome;
}): CaseOpened[] {
  const { reference, walletId, status } = settlement;
  const kind = outcomeConflict(status, verdict);
  if (kind)
    return [
      new CaseOpened({
        kind,
        subject: reference,
        walletId,
        description: `on record as ${status}; the bank now says ${verdict.status}`,
      }),
    ];
  if (isOpen(status) && /insufficient funds in disbursement wallet/i.test(verdict.why)) {
    return [
      new CaseOpened({
        kind: 'payout-without-float',
        subject: reference,
        walletId,
        description: verdict.why,
      }),
    ];
  }
  return [];
}
