import type { Kobo } from '../../kernel/money.js';
import type { PayoutState } from '../bank/bank.port.js';
import type { CaseOpened } from '../operations/operations.events.js';
import type { Reversal, Settlement, SettlementStatus, SettlementStep } from './settlement.port.js';

/** A bank's final answer about a payout. */
export interface SettlementOutcome {
  readonly status: 'succeeded' | 'failed' | 'reversed';
  readonly reason: string;
  /** Refused outright; says nothing of other submissions. */
  readonly isRefusal?: true;
  /** In kobo, if the bank says so. */
  readonly amountPaid?: Kobo;
}

export const PAID: SettlementOutcome = { status: 'succeeded', reason: '' };

/**
 * Only the bank's word is final: not time, not silence, and not an unknown payout, since a slow request may
 * still arrive.
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

export function isOpen(status: SettlementStatus): boolean {
  return status === 'pending' || status === 'processing';
}

export interface Standing {
  readonly status: SettlementStatus;
  readonly isRefunded: boolean;
}

/** Case for a verdict that contradicts an earlier end; null if it agrees. Nothing moves. */
export function outcomeConflict(
  { status, isRefunded }: Standing,
  verdict: SettlementOutcome,
): CaseOpened['kind'] | null {
  if (isOpen(status)) return null;
  const wasPaid = status === 'succeeded';
  if (wasPaid === (verdict.status === 'succeeded')) return null;
  return wasPaid || !isRefunded ? 'payout-undone-after-success' : 'payout-succeeded-after-refund';
}

/** True if the bank took back a payout it had made. A refusal does not. */
export function isTakenBack(status: SettlementStatus, verdict: SettlementOutcome | null): boolean {
  return status === 'succeeded' && verdict !== null && verdict.status !== 'succeeded' && !verdict.isRefusal;
}

/** Adds the first step, which is not stored (except by earlier versions). */
export function allSteps(approvedAt: Date, stored: readonly SettlementStep[]): readonly SettlementStep[] {
  const steps = stored.map(withReason);
  if (steps[0]?.type === 'settlement.started') return steps;
  return [{ at: approvedAt.toISOString(), type: 'settlement.started', detail: {} }, ...steps];
}

/** Adds the former name `why`; earlier versions stored only that. */
function withReason(step: SettlementStep): SettlementStep {
  const reason = step.detail['reason'] ?? step.detail['why'];
  return reason === undefined ? step : { ...step, detail: { ...step.detail, reason, why: reason } };
}

/** Times of return and refund; null if not returned. */
export function reversalOf({ status, steps }: Pick<Settlement, 'status' | 'steps'>): Reversal | null {
  if (status !== 'reversed') return null;
  const timeOf = (type: SettlementStep['type']) => steps.findLast((step) => step.type === type)?.at;
  return { reversedAt: timeOf('settlement.failed') ?? '', refundedAt: timeOf('refund.posted') ?? null };
}

/** Refunds nothing. */
export function takenBackStep(reason: string, at: string): SettlementStep {
  return { type: 'settlement.failed', at, detail: { reason } };
}

export function stepsOf({ status, reason }: SettlementOutcome, amount: number, at: string): SettlementStep[] {
  if (status === 'succeeded') return [{ type: 'settlement.succeeded', at, detail: {} }];
  return [
    { type: 'settlement.failed', at, detail: { reason } },
    { type: 'refund.posted', at, detail: { amount } },
  ];
}

/** Back-off factors: 15 s, 1 min, 5 min, 15 min, then hourly. */
const BACK_OFF = [1, 4, 20, 60, 240];

/** Seconds until the next poll; `first` is the first wait. */
export function pollDelaySeconds(pollCount: number, first: number): number {
  return first * (BACK_OFF[Math.min(pollCount, BACK_OFF.length - 1)] ?? 1);
}

/** Longest time a submission may take to reach the bank, in milliseconds. */
const REFUSAL_GRACE_MS = 10 * 60_000;

/** True once an earlier submission can no longer be accepted. */
export function isRefusalFinal(msSinceSubmission: number): boolean {
  return msSinceSubmission > REFUSAL_GRACE_MS;
}

/** Milliseconds after which a case is opened. */
export const STUCK_AFTER_MS = 24 * 60 * 60_000;
