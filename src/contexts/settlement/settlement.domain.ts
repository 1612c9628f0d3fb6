import type { Kobo } from '../../kernel/money.js';
import type { PayoutState } from '../bank/bank.port.js';
import type { CaseOpened } from '../operations/operations.events.js';
import type { Reversal, Settlement, SettlementStatus, SettlementStep } from './settlement.port.js';

/** What the bank said for good of a payout. */
export interface SettlementOutcome {
  readonly status: 'succeeded' | 'failed' | 'reversed';
  readonly reason: string;
  /** The bank refused to take it on: that says nothing of what another worker has sent since. */
  readonly isRefusal?: true;
  /** What was paid, in kobo, where the bank says so. */
  readonly amountPaid?: Kobo;
}

/** The same of every payout that was made. */
export const PAID: SettlementOutcome = { status: 'succeeded', reason: '' };

/**
 * What an answer of the bank means. Only the bank's own word is final: not time, not silence, and not that it knows
 * of no such payout, since a slow request may still reach it.
 */
export function toSettlementOutcome(state: PayoutState): SettlementOutcome | null {
  switch (state.kind) {
    case 'succeeded':
      return state.amount === undefined ? PAID : { ...PAID, amountPaid: state.amount };
    case 'rejected':
      return { status: 'failed', reason: state.reason, isRefusal: true };
    case 'failed':
      return { status: 'failed', reason: state.reason };
    case 'reversed':
      return { status: 'reversed', reason: state.reason };
    case 'accepted':
    case 'not-found':
    case 'unknown':
      return null;
  }
}

/** Whether the settlement can still end. */
export function isOpen(status: SettlementStatus): boolean {
  return status === 'pending' || status === 'processing';
}

/** Where a settlement stands that a verdict found ended, or that another worker has taken. */
export interface Standing {
  readonly status: SettlementStatus;
  /** The wallet has the money back. */
  readonly isRefunded: boolean;
}

/**
 * The case that a verdict opens on a settlement that ended before: it moves nothing. Null when the verdict says what is
 * on record already.
 */
export function outcomeConflict(
  { status, isRefunded }: Standing,
  verdict: SettlementOutcome,
): CaseOpened['kind'] | null {
  if (isOpen(status)) return null;
  const wasPaid = status === 'succeeded';
  if (wasPaid === (verdict.status === 'succeeded')) return null;
  return wasPaid || !isRefunded ? 'payout-undone-after-success' : 'payout-succeeded-after-refund';
}

/**
 * Whether a verdict says that the bank took a payout back which it had made. A refusal says nothing of a payout that
 * was made.
 */
export function isTakenBack(status: SettlementStatus, verdict: SettlementOutcome | null): boolean {
  return status === 'succeeded' && verdict !== null && verdict.status !== 'succeeded' && !verdict.isRefusal;
}

/**
 * All steps of a settlement: the first one says what the time of the approval says, and is not stored. Settlements that
 * earlier versions opened have it stored.
 */
export function allSteps(approvedAt: Date, stored: readonly SettlementStep[]): readonly SettlementStep[] {
  const steps = stored.map(withReason);
  if (steps[0]?.type === 'settlement.started') return steps;
  // Its keys in the order in which PostgreSQL answers those of the stored ones.
  return [{ at: approvedAt.toISOString(), type: 'settlement.started', detail: {} }, ...steps];
}

/** Answers `reason` under its former name `why` too; earlier versions stored `why` alone. */
function withReason(step: SettlementStep): SettlementStep {
  const reason = step.detail['reason'] ?? step.detail['why'];
  return reason === undefined ? step : { ...step, detail: { ...step.detail, reason, why: reason } };
}

/** When the bank sent a payout back, and when the wallet was refunded; null of one that it did not send back. */
export function reversalOf({ status, steps }: Pick<Settlement, 'status' | 'steps'>): Reversal | null {
  if (status !== 'reversed') return null;
  const timeOf = (type: SettlementStep['type']) => steps.findLast((step) => step.type === type)?.at;
  return { reversedAt: timeOf('settlement.failed') ?? '', refundedAt: timeOf('refund.posted') ?? null };
}

/** The step of a payout that the bank took back: nothing is refunded by it. */
export function takenBackStep(reason: string, at: string): SettlementStep {
  return { type: 'settlement.failed', at, detail: { reason } };
}

/** The steps that a verdict adds to the record of an open settlement. */
export function stepsOf({ status, reason }: SettlementOutcome, amount: number, at: string): SettlementStep[] {
  if (status === 'succeeded') return [{ type: 'settlement.succeeded', at, detail: {} }];
  return [
    { type: 'settlement.failed', at, detail: { reason } },
    { type: 'refund.posted', at, detail: { amount } },
  ];
}

/** How much longer than the first wait each later one is: 15 s, 1 min, 5 min, 15 min, then hourly. */
const BACK_OFF = [1, 4, 20, 60, 240];

/** Seconds until a payout that is not final is asked for again, after `pollCount` polls; `first` is the first wait. */
export function pollDelaySeconds(pollCount: number, first: number): number {
  return first * (BACK_OFF[Math.min(pollCount, BACK_OFF.length - 1)] ?? 1);
}

/** How long a submission may be under way before the bank has it, in milliseconds. */
const REFUSAL_GRACE_MS = 10 * 60_000;

/**
 * Whether the refusal of a payout that was submitted before, `msSinceSubmission` ago, is its end. Not at first: the
 * submission before may have been slow, and may still be accepted.
 */
export function isRefusalFinal(msSinceSubmission: number): boolean {
  return msSinceSubmission > REFUSAL_GRACE_MS;
}

/** How long a payout may be under way before a person is told, in milliseconds. */
export const STUCK_AFTER_MS = 24 * 60 * 60_000;
