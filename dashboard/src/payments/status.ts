import type { Transaction, Withdrawal } from '../api/types.js';
import { blockReasonInWords } from './checks.js';
import { dayAndTime } from '../text/time.js';
import type { Tone } from '../look/tone.js';

export type PaymentStatus = Transaction['status'];

interface StatusInWords {
  readonly name: string;
  readonly tone: Tone;
}

export const PAYMENT_STATUSES: Readonly<Record<PaymentStatus, StatusInWords>> = {
  paid: { name: 'Paid', tone: 'good' },
  processing: { name: 'Processing', tone: 'info' },
  awaiting_approval: { name: 'Awaiting approval', tone: 'wait' },
  failed: { name: 'Failed, refunded', tone: 'bad' },
  returned: { name: 'Sent back by the bank', tone: 'bad' },
  blocked: { name: 'Blocked', tone: 'bad' },
  denied: { name: 'Denied', tone: 'bad' },
  expired: { name: 'Expired', tone: 'calm' },
};

const names = (...statuses: PaymentStatus[]) => statuses.join(',');

/** In place of statuses: approved and not refunded. */
export const SPENT = 'spent';
/** Several statuses, as the filter of a list takes them. */
export const STOPPED = names('blocked', 'denied', 'expired');

export const WITHDRAWAL_STATUSES: Readonly<Record<Withdrawal['settlement']['status'], PaymentStatus>> = {
  pending: 'processing',
  processing: 'processing',
  succeeded: 'paid',
  failed: 'failed',
  reversed: 'returned',
};

export interface Decided {
  readonly status: PaymentStatus;
  readonly blockReason: string | null;
  readonly settlement?: SentBack | null;
}

/** A payout; the times are there when the bank sent it back. */
interface SentBack {
  readonly reversedAt?: string;
  readonly refundedAt?: string | null;
}

export function sentBackInWords({ reversedAt, refundedAt }: SentBack): string {
  if (refundedAt) return `Refunded on ${dayAndTime(refundedAt)}`;
  return `Being resolved by our operators${reversedAt ? ` since ${dayAndTime(reversedAt)}` : ''}`;
}

/** Says why a payment was stopped, and what it was for. */
export function paymentNote(payment: Decided & { readonly reason: string | null }): string {
  return [stoppedBecause(payment), payment.reason].filter(Boolean).join(' · ');
}

export function stoppedBecause({ status, blockReason, settlement }: Decided): string | null {
  if (status === 'blocked') return blockReasonInWords(blockReason ?? '');
  if (status === 'returned' && settlement) return sentBackInWords(settlement);
  return status === 'failed' ? 'Payout failed; refunded' : null;
}

const WITHOUT_MONEY = new Set<PaymentStatus>(['blocked', 'denied', 'expired', 'failed']);

/** True where the amount never left, or came back. */
export const movedNothing = ({ status }: Pick<Decided, 'status'>) => WITHOUT_MONEY.has(status);
