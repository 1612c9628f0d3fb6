import { Injectable, Logger } from '@nestjs/common';
import { CaseOpened, CaseResolved } from '../operations/operations.events.js';
import { AppError } from '../../kernel/errors.js';
import { Config } from '../../platform/config.js';
import { Database } from '../../platform/database/database.js';
import { isUnavailable, violates } from '../../platform/database/failures.js';
import type { Tx } from '../../platform/database/tx.js';
import { Events } from '../../platform/events/events.js';
import { Jobs } from '../../platform/jobs/jobs.js';
import { outcomeConflict, type RecordedState, STUCK_AFTER_MS } from './settlement.domain.js';
import type { OperatorCause } from '../bank/bank.port.js';
import {
  ReturnRefunded,
  SettlementFailed,
  SettlementReversed,
  SettlementSucceeded,
  WithdrawalFailed,
} from './settlement.events.js';
import { SettlementMetrics } from './settlement-metrics.service.js';
import { type RecordedResults, SettlementResults, type Verdict } from './settlement-results.store.js';
import type { SettlementRow } from './settlement.store.js';

const CASES: Readonly<Record<OperatorCause, CaseOpened['kind']>> = {
  'no-float': 'payout-without-float',
  'invalid-request': 'payout-request-invalid',
};

const TAKEN_BACK = 'payout-undone-after-success';

/** Job that polls one payout, final or not. */
export const POLL_JOB = 'settlement.poll';
/** Name of this job in rows queued by earlier versions. */
export const FORMER_POLL_JOB = 'settlement.look';

export function schedulePoll(jobs: Jobs, reference: string, delaySeconds: number, tx: Tx): void {
  jobs.schedule(tx, POLL_JOB, { reference }, { key: `${POLL_JOB} ${reference}`, delaySeconds });
}

@Injectable()
export class SettlementOutcomes {
  private readonly log = new Logger(SettlementOutcomes.name);
  private readonly refundsReturned: boolean;

  constructor(
    private readonly results: SettlementResults,
    private readonly database: Database,
    private readonly events: Events,
    private readonly jobs: Jobs,
    private readonly metrics: SettlementMetrics,
    { AUTO_REFUND_RETURNED }: Config,
  ) {
    this.refundsReturned = AUTO_REFUND_RETURNED === 'true';
  }

  async openStuckPayoutCases(unfinished: readonly SettlementRow[]): Promise<void> {
    const stuck = unfinished.filter(({ approvedMsAgo }) => approvedMsAgo > STUCK_AFTER_MS);
    if (stuck.length === 0) return;
    await this.open(
      stuck.map(
        ({ reference, walletId }) =>
          new CaseOpened({
            kind: 'payout-stuck',
            subject: reference,
            walletId,
            description: 'the bank has not settled this payout for a day',
          }),
      ),
    );
  }

  /**
   * Records verdicts together, or one by one if that fails. Returns those not recorded, to be retried. A
   * refund past the balance bound opens a case.
   */
  async recordAll(verdicts: readonly Verdict[]): Promise<readonly Verdict[]> {
    if (verdicts.length === 0) return [];
    try {
      await this.record(verdicts, this.refundsReturned);
      return [];
    } catch (error) {
      if (error instanceof AppError || isUnavailable(error)) throw error;
      if (verdicts.length > 1) {
        const unrecorded: Verdict[] = [];
        for (const verdict of verdicts) unrecorded.push(...(await this.recordAll([verdict])));
        return unrecorded;
      }
      this.log.error(
        `the end of ${verdicts[0]?.settlement.reference} can't be put on record: ${String(error)}`,
      );
      if (!violates(error, 'wallets_balance_range')) return verdicts;
      await this.open(verdicts.map(refundHeld));
      // The return is recorded even if its refund must wait.
      if (this.refundsReturned) await this.record(verdicts, false).catch(() => undefined);
      return verdicts;
    }
  }

  private open(cases: readonly CaseOpened[]): Promise<void> {
    return this.database.transaction((tx) => this.events.publish(cases, tx));
  }

  /**
   * An open settlement ends once; unpaid, it is refunded in the same transaction. A paid one that the bank
   * took back becomes `reversed`, with a case, and is refunded if set so. Other contradictions open a case. A
   * verdict under a lost lease changes nothing.
   */
  private async record(verdicts: readonly Verdict[], refundsReturned: boolean): Promise<void> {
    await this.database.transaction((tx) => this.recordIn(verdicts, refundsReturned, tx));
  }

  async recordIn(verdicts: readonly Verdict[], refundsReturned: boolean, tx: Tx): Promise<void> {
    const recorded = await this.results.record(verdicts, refundsReturned, tx);
    for (const events of eventsOf(verdicts, recorded, refundsReturned)) {
      await this.events.publish(events, tx);
    }
    for (const reference of disputedBy(verdicts, recorded)) schedulePoll(this.jobs, reference, 0, tx);
    tx.afterCommit(() => this.metrics.count(verdicts, recorded));
  }
}

/** Events of verdicts, one list for each class. */
function eventsOf(
  verdicts: readonly Verdict[],
  { unchanged, takenBack, at }: RecordedResults,
  refundsReturned: boolean,
): readonly (readonly object[])[] {
  const reversed: SettlementReversed[] = [];
  const refunded: ReturnRefunded[] = [];
  const resolved: CaseResolved[] = [];
  const failed: SettlementFailed[] = [];
  const failedWithdrawals: WithdrawalFailed[] = [];
  const succeeded: SettlementSucceeded[] = [];
  const cases: CaseOpened[] = [];
  for (const verdict of verdicts) {
    const { reference, walletId, amount, approvedAt, isWithdrawal } = verdict.settlement;
    const { requestId = null, traceParent = null } = verdict.settlement;
    const { status, reason } = verdict.outcome;
    // Nearly always empty.
    const before = unchanged.size > 0 ? unchanged.get(reference) : undefined;
    const isTakenBack = takenBack.size > 0 && takenBack.has(reference);
    const isLeased = Boolean(verdict.settlement.leasedUntil);
    if (isLeased && before) continue;
    const opened = isTakenBack ? takenBackCase(verdict, refundsReturned) : caseOf(verdict, before);
    if (opened) cases.push(opened);
    if (before !== undefined) continue;
    if (isTakenBack) {
      reversed.push(
        new SettlementReversed({
          reference,
          walletId,
          amount,
          reason,
          isWithdrawal,
          at,
          requestId,
          traceParent,
        }),
      );
      if (!refundsReturned) continue;
      refunded.push(
        new ReturnRefunded({ reference, walletId, amount, isWithdrawal, caseId: null, requestId }),
      );
      resolved.push(
        new CaseResolved({ kind: TAKEN_BACK, subject: reference, outcome: 'refunded by itself' }),
      );
    } else if (status !== 'succeeded' && isWithdrawal) {
      failedWithdrawals.push(new WithdrawalFailed({ withdrawalId: reference, walletId, amount, reason }));
    } else if (status !== 'succeeded') {
      failed.push(
        new SettlementFailed({
          reference,
          walletId,
          amount,
          approvedAt: approvedAt.toISOString(),
          reason,
          requestId,
          traceParent,
        }),
      );
    } else if (!isWithdrawal) {
      succeeded.push(new SettlementSucceeded({ reference, walletId, amount, at, requestId, traceParent }));
    }
  }
  return [reversed, refunded, failed, failedWithdrawals, succeeded, cases, resolved];
}

function disputedBy(verdicts: readonly Verdict[], { unchanged }: RecordedResults): string[] {
  return verdicts.flatMap(({ settlement: { reference, leasedUntil }, outcome }) => {
    const before = unchanged.get(reference);
    return leasedUntil && before && outcomeConflict(before, outcome) ? [reference] : [];
  });
}

function takenBackCase(
  { settlement: { reference, walletId, amount }, outcome }: Verdict,
  isRefunded: boolean,
): CaseOpened {
  const refund = `${isRefunded ? 'refunded' : 'not refunded'}: ${amount} kobo`;
  return new CaseOpened({
    kind: TAKEN_BACK,
    subject: reference,
    walletId,
    description: `on record as succeeded; the bank now says ${outcome.status}: ${outcome.reason}; ${refund}`,
  });
}

function refundHeld({ settlement: { reference, walletId }, outcome }: Verdict): CaseOpened {
  return new CaseOpened({
    kind: 'refund-held',
    subject: reference,
    walletId,
    description: `the payout was not made (${outcome.reason}), and the balance of the wallet cannot hold its refund`,
  });
}

function caseOf(
  { settlement: { reference: subject, walletId, amount }, outcome }: Verdict,
  before: RecordedState | null | undefined,
): CaseOpened | null {
  const { status, reason, cause, amountPaid = amount } = outcome;
  if (amountPaid !== amount && (before === undefined || before?.status === 'succeeded')) {
    const description = `on record as succeeded with ${amount} kobo; the bank says ${amountPaid} kobo`;
    return new CaseOpened({ kind: 'payout-amount-differs', subject, walletId, description });
  }
  if (before) {
    const kind = outcomeConflict(before, outcome);
    const description = `on record as ${before.status}; the bank now says ${status}`;
    // Updates the existing case of a payout that was taken back.
    const reopens = before.status === 'reversed' && !before.isRefunded;
    return kind && new CaseOpened({ kind, subject, walletId, description, reopens });
  }
  if (before === null || !cause) return null;
  return new CaseOpened({ kind: CASES[cause], subject, walletId, description: reason });
}
