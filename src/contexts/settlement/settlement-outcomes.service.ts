import { Injectable, Logger } from '@nestjs/common';
import { CaseOpened } from '../operations/operations.events.js';
import { AppError } from '../../kernel/errors.js';
import { Database } from '../../platform/database/database.js';
import { isUnavailable, violates } from '../../platform/database/failures.js';
import type { Tx } from '../../platform/database/tx.js';
import { Events } from '../../platform/events/events.js';
import { Jobs } from '../../platform/jobs/jobs.js';
import {
  outcomeConflict,
  type SettlementOutcome,
  type Standing,
  STUCK_AFTER_MS,
} from './settlement.domain.js';
import {
  SettlementFailed,
  SettlementReversed,
  SettlementSucceeded,
  WithdrawalFailed,
} from './settlement.events.js';
import { type Ended, SettlementResults } from './settlement-results.store.js';
import type { SettlementRow } from './settlement.store.js';

/** What the bank said for good of a settlement that was asked for. */
export interface Verdict {
  readonly settlement: SettlementRow;
  readonly outcome: SettlementOutcome;
}

/** Refusals that only a person can mend: our own float ran short, and a request of ours that the bank can't read. */
const OPERATOR_FAILURES: readonly { readonly pattern: RegExp; readonly kind: CaseOpened['kind'] }[] = [
  { pattern: /insufficient funds in disbursement wallet/i, kind: 'payout-without-float' },
  { pattern: /invalid request data/i, kind: 'payout-request-invalid' },
];

/** Job that asks the bank for one payout, also for one that ended before. */
export const POLL_JOB = 'settlement.poll';
/** Name of the same job in rows that earlier versions wrote. */
export const FORMER_POLL_JOB = 'settlement.look';

export function schedulePoll(jobs: Jobs, reference: string, delaySeconds: number, tx: Tx): void {
  jobs.schedule(tx, POLL_JOB, { reference }, { key: `${POLL_JOB} ${reference}`, delaySeconds });
}

/** Puts what the bank said on record: ends settlements, and tells people of what only they can mend. */
@Injectable()
export class SettlementOutcomes {
  private readonly log = new Logger(SettlementOutcomes.name);

  constructor(
    private readonly results: SettlementResults,
    private readonly database: Database,
    private readonly events: Events,
    private readonly jobs: Jobs,
  ) {}

  /** Tells of payouts that have been under way for too long. */
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
   * Puts verdicts on record together, or one by one when that fails, so that no settlement waits for a neighbour's
   * fault. Answers those that can't be recorded: they stay open, and are asked for again ever more seldom. A refund
   * that a balance can't hold is told of at once: only a person can make room.
   */
  async recordAll(verdicts: readonly Verdict[]): Promise<readonly Verdict[]> {
    if (verdicts.length === 0) return [];
    try {
      await this.record(verdicts);
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
      if (violates(error, 'wallets_balance_range')) await this.open(verdicts.map(refundHeld));
      return verdicts;
    }
  }

  private open(cases: readonly CaseOpened[]): Promise<void> {
    return this.database.transaction((tx) => this.events.publish(cases, tx));
  }

  /**
   * An open settlement ends, once, and what was not paid is refunded in the same transaction. One that ended as paid
   * and that the bank took back is `reversed`, once, with a case. Every other verdict that contradicts an end before
   * opens a case and changes nothing. A verdict of a worker whose lease has run out changes nothing, and opens no case:
   * the payout belongs to another worker. Where it contradicts what is on record, the bank is asked once more.
   */
  private async record(verdicts: readonly Verdict[]): Promise<void> {
    await this.database.transaction(async (tx) => {
      const ended = await this.end(verdicts, tx);
      for (const events of eventsOf(verdicts, ended)) await this.events.publish(events, tx);
      for (const reference of disputedBy(verdicts, ended)) schedulePoll(this.jobs, reference, 0, tx);
    });
  }

  private end(verdicts: readonly Verdict[], tx: Tx): Promise<Ended> {
    if (verdicts.every(({ outcome }) => outcome.status === 'succeeded')) {
      const leases = verdicts.flatMap(({ settlement }) => settlement.leasedUntil ?? []);
      return this.results.succeed(
        verdicts.map(({ settlement }) => settlement.reference),
        leases.length > 0 ? leases : null,
        tx,
      );
    }
    return this.results.end(
      verdicts.map(({ settlement: { reference, amount, leasedUntil }, outcome }) => ({
        reference,
        amount,
        outcome,
        leasedUntil: leasedUntil ?? null,
      })),
      tx,
    );
  }
}

/** What comes of verdicts, a list for each class of event; nothing of those of `stillOpen`, but for a contradiction. */
function eventsOf(
  verdicts: readonly Verdict[],
  { stillOpen, takenBack, at }: Ended,
): readonly (readonly object[])[] {
  const reversed: SettlementReversed[] = [];
  const failed: SettlementFailed[] = [];
  const failedWithdrawals: WithdrawalFailed[] = [];
  const succeeded: SettlementSucceeded[] = [];
  const cases: CaseOpened[] = [];
  for (const verdict of verdicts) {
    const { reference, walletId, amount, approvedAt, isWithdrawal } = verdict.settlement;
    const { status, reason } = verdict.outcome;
    // A map looks for a text that is new to V8 as long as all else here takes, and almost always there is none.
    const before = stillOpen.size > 0 ? stillOpen.get(reference) : undefined;
    const isTakenBack = takenBack.size > 0 && takenBack.has(reference);
    const isLeased = Boolean(verdict.settlement.leasedUntil);
    if (isLeased && before) continue;
    const opened = isTakenBack ? takenBackCase(verdict) : caseOf(verdict, before);
    if (opened) cases.push(opened);
    if (before !== undefined) continue;
    if (isTakenBack) {
      reversed.push(new SettlementReversed({ reference, walletId, amount, reason, isWithdrawal, at }));
    } else if (status !== 'succeeded' && isWithdrawal) {
      failedWithdrawals.push(new WithdrawalFailed({ withdrawalId: reference, walletId, amount, reason }));
    } else if (status !== 'succeeded') {
      failed.push(
        new SettlementFailed({ reference, walletId, amount, approvedAt: approvedAt.toISOString(), reason }),
      );
    } else if (!isWithdrawal) {
      succeeded.push(new SettlementSucceeded({ reference, walletId, amount, at }));
    }
  }
  return [reversed, failed, failedWithdrawals, succeeded, cases];
}

/** References of settlements that have ended otherwise than a worker whose lease has run out was told. */
function disputedBy(verdicts: readonly Verdict[], { stillOpen }: Ended): string[] {
  if (stillOpen.size === 0) return [];
  return verdicts.flatMap(({ settlement: { reference, leasedUntil }, outcome }) => {
    const before = stillOpen.get(reference);
    return leasedUntil && before && outcomeConflict(before, outcome) ? [reference] : [];
  });
}

function takenBackCase({ settlement: { reference, walletId, amount }, outcome }: Verdict): CaseOpened {
  return new CaseOpened({
    kind: 'payout-undone-after-success',
    subject: reference,
    walletId,
    description: `on record as succeeded; the bank now says ${outcome.status}: ${outcome.reason}; not refunded: ${amount} kobo`,
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

/**
 * What a person must know of a verdict: that it contradicts the end `before`, that the bank paid another amount, or that
 * the refusal is our own fault.
 */
function caseOf(
  { settlement: { reference: subject, walletId, amount }, outcome }: Verdict,
  before: Standing | null | undefined,
): CaseOpened | null {
  const { status, reason, amountPaid = amount } = outcome;
  if (amountPaid !== amount && (before === undefined || before?.status === 'succeeded')) {
    const description = `on record as succeeded with ${amount} kobo; the bank says ${amountPaid} kobo`;
    return new CaseOpened({ kind: 'payout-amount-differs', subject, walletId, description });
  }
  if (before) {
    const kind = outcomeConflict(before, outcome);
    const description = `on record as ${before.status}; the bank now says ${status}`;
    // The case of a payout that was taken back stands already: it says what the bank said last.
    const reopens = before.status === 'reversed' && !before.isRefunded;
    return kind && new CaseOpened({ kind, subject, walletId, description, reopens });
  }
  const kind =
    before === null ? undefined : OPERATOR_FAILURES.find(({ pattern }) => pattern.test(reason))?.kind;
  return kind ? new CaseOpened({ kind, subject, walletId, description: reason }) : null;
}
