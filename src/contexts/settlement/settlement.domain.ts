import { CLOCKS_APART_MS, leastIdAt } from '../../kernel/ids.js';
import { APPROVAL_WAIT_MS_MAX } from '../payments/payments.events.js';
import type { Kobo } from '../../kernel/money.js';
import type { OperatorCause, PayoutState } from '../bank/bank.port.js';
import type { CaseOpened } from '../operations/operations.events.js';
import type { Reversal, Settlement, SettlementStatus, SettlementStep } from './settlement.port.js';

/** Final answer of the bank on a payout. */
export interface SettlementOutcome {
  readonly status: 'succeeded' | 'failed' | 'reversed';
  readonly reason: string;
  /** The bank refused this submission; an earlier submission may still be accepted. */
  readonly isRefusal?: true;
  readonly amountPaid?: Kobo;
  /** NIP's. */
  readonly sessionId?: string;
  readonly cause?: OperatorCause;
}

export const PAID: SettlementOutcome = { status: 'succeeded', reason: '' };

/**
 * Translates a bank answer; null if it is not final. Time, silence and "not found" never are: a slow request
 * may still arrive.
 */
export function toSettlementOutcome(state: PayoutState): SettlementOutcome | null {
  switch (state.kind) {
    case 'succeeded':
      return paid(state);
    case 'rejected':
      return { status: 'failed', ...failureOf(state), isRefusal: true };
    case 'failed':
      return { status: 'failed', ...failureOf(state) };
    case 'reversed':
      return { status: 'reversed', ...failureOf(state) };
    case 'accepted':
    case 'not-found':
    case 'unknown':
      return null;
  }
}

function paid({ amount, sessionId }: { readonly amount?: Kobo; readonly sessionId?: string }) {
  if (amount === undefined && sessionId === undefined) return PAID;
  return {
    ...PAID,
    ...(amount !== undefined && { amountPaid: amount }),
    ...(sessionId !== undefined && { sessionId }),
  };
}

function failureOf({ reason, cause }: { readonly reason: string; readonly cause?: OperatorCause }) {
  return { reason, ...(cause && { cause }) };
}

export function isOpen(status: SettlementStatus): boolean {
  return status === 'pending' || status === 'processing';
}

export interface RecordedState {
  readonly status: SettlementStatus;
  readonly isRefunded: boolean;
}

/** Case to open if a verdict contradicts the recorded result; null if it agrees. */
export function outcomeConflict(
  { status, isRefunded }: RecordedState,
  verdict: SettlementOutcome,
): CaseOpened['kind'] | null {
  if (isOpen(status)) return null;
  const wasPaid = status === 'succeeded';
  if (wasPaid === (verdict.status === 'succeeded')) return null;
  return wasPaid || !isRefunded ? 'payout-undone-after-success' : 'payout-succeeded-after-refund';
}

/** A refusal does not count. */
export function isTakenBack(status: SettlementStatus, verdict: SettlementOutcome | null): boolean {
  return status === 'succeeded' && verdict !== null && verdict.status !== 'succeeded' && !verdict.isRefusal;
}

export function isStillPaid(
  { status, amount }: { readonly status: SettlementStatus; readonly amount: number },
  verdict: SettlementOutcome,
): boolean {
  return (
    status === 'succeeded' && verdict.status === 'succeeded' && (verdict.amountPaid ?? amount) === amount
  );
}

export function allSteps(approvedAt: Date, stored: readonly SettlementStep[]): readonly SettlementStep[] {
  const steps = stored.map(withReason);
  if (steps[0]?.type === 'settlement.started') return steps;
  // Key order as in stored jsonb.
  return [{ at: approvedAt.toISOString(), type: 'settlement.started', detail: {} }, ...steps];
}

/** Earlier versions stored `why` alone. */
function withReason(step: SettlementStep): SettlementStep {
  const reason = step.detail['reason'] ?? step.detail['why'];
  return reason === undefined ? step : { ...step, detail: { ...step.detail, reason, why: reason } };
}

export function reversalOf({ status, steps }: Pick<Settlement, 'status' | 'steps'>): Reversal | null {
  if (status !== 'reversed') return null;
  const timeOf = (type: SettlementStep['type']) => steps.findLast((step) => step.type === type)?.at;
  return { reversedAt: timeOf('settlement.failed') ?? '', refundedAt: timeOf('refund.posted') ?? null };
}

/** `refunded`: kobo given back with it. */
export function takenBackSteps(reason: string, refunded: number | null, at: string): SettlementStep[] {
  const taken: SettlementStep = { type: 'settlement.failed', at, detail: { reason } };
  return refunded === null ? [taken] : [taken, refundStep(refunded, at)];
}

export function refundStep(amount: number, at: string): SettlementStep {
  return { type: 'refund.posted', at, detail: { amount } };
}

export function stepsOf(
  { status, reason, sessionId }: SettlementOutcome,
  amount: number,
  at: string,
): SettlementStep[] {
  if (status === 'succeeded')
    return [{ type: 'settlement.succeeded', at, detail: { ...(sessionId !== undefined && { sessionId }) } }];
  return [{ type: 'settlement.failed', at, detail: { reason } }, refundStep(amount, at)];
}

/** Multiples of the first wait: 15 s, 1 min, 5 min, 15 min, then hourly. */
const BACK_OFF = [1, 4, 20, 60, 240];

/** Seconds until the next poll after `pollCount` polls; `first` is the first wait. */
export function pollDelaySeconds(pollCount: number, first: number): number {
  return first * (BACK_OFF[Math.min(pollCount, BACK_OFF.length - 1)] ?? 1);
}

/** A slow submission may still reach the bank within this time. */
const REFUSAL_GRACE_MS = 10 * 60_000;

export function isRefusalFinal(msSinceSubmission: number): boolean {
  return msSinceSubmission > REFUSAL_GRACE_MS;
}

export const STUCK_AFTER_MS = 24 * 60 * 60_000;

/** Lower bound of references of payments approved at `from` or later. */
export function firstReference(from: Date): string {
  return leastIdAt(Math.max(0, from.getTime() - APPROVAL_WAIT_MS_MAX - CLOCKS_APART_MS));
}

/** Upper bound of references of payments approved before `to`. */
export function lastReference(to: Date): string {
  return leastIdAt(Math.max(0, to.getTime() + CLOCKS_APART_MS));
}
