import type { PayoutState } from '../bank/bank.contract.js';
import type { SettlementStatus, SettlementStep } from './settlement.contract.js';

/** Where a settlement goes after the bank said something of its payout. Null: nothing is settled yet. */
export type Verdict =
  { readonly status: 'succeeded' } | { readonly status: 'failed' | 'reversed'; readonly why: string };

/**
 * What an answer of the bank means for a payout that is under way. Only the bank's own word is final: not time,
 * not silence, and not that it knows of no such payout, since a slow request may still reach it.
 */
export function verdictOf(state: PayoutState): Verdict | null {
  switch (state.kind) {
    case 'succeeded':
      return { status: 'succeeded' };
    case 'rejected':
    case 'failed':
      return { status: 'failed', why: state.why };
    case 'reversed':
      return { status: 'reversed', why: state.why };
    case 'accepted':
    case 'not-found':
    case 'unknown':
      return null;
  }
}

/** The steps that a verdict adds to the record of a settlement. */
export function stepsOf(verdict: Verdict, amount: number, at: string): SettlementStep[] {
  if (verdict.status === 'succeeded') return [{ type: 'settlement.succeeded', at, detail: {} }];
  return [
    { type: 'settlement.failed', at, detail: { why: verdict.why } },
    { type: 'refund.posted', at, detail: { amount } },
  ];
}

/** Seconds until a payout that is not final is asked for again: `first`, then 4 times as long each, at most an hour. */
export function secondsUntilLook(looks: number, first: number): number {
  return Math.min(first * 4 ** Math.min(looks, 10), 3_600);
}

/** Whether nothing more is expected to happen. A success can still be reversed by the bank. */
export function isFinal(status: SettlementStatus): boolean {
  return status !== 'pending' && status !== 'processing';
}
