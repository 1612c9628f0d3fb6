import { blockReasonInWords } from './checks.js';

/** What became of a payment in the end, in one word wherever it is shown. */
export type PaymentStatus =
  'paid' | 'processing' | 'awaiting' | 'failed' | 'returned' | 'blocked' | 'denied' | 'expired';

export type Tone = 'good' | 'bad' | 'wait' | 'calm' | 'info';

interface StatusInWords {
  readonly name: string;
  readonly tone: Tone;
}

export const PAYMENT_STATUSES: Readonly<Record<PaymentStatus, StatusInWords>> = {
  paid: { name: 'Paid', tone: 'good' },
  processing: { name: 'Processing', tone: 'info' },
  awaiting: { name: 'Awaiting approval', tone: 'wait' },
  failed: { name: 'Failed, refunded', tone: 'bad' },
  returned: { name: 'Returned', tone: 'bad' },
  blocked: { name: 'Blocked', tone: 'bad' },
  denied: { name: 'Denied', tone: 'bad' },
  expired: { name: 'Expired', tone: 'calm' },
};

/** What the API says of a payment, as far as its status follows from it. */
export interface Decided {
  readonly decision: string;
  readonly blockReason: string | null;
  readonly settlement?: { readonly status: string } | null | undefined;
}

export function paymentStatus({ decision, blockReason, settlement }: Decided): PaymentStatus {
  if (decision === 'pending') return 'awaiting';
  if (decision === 'blocked') {
    if (blockReason === 'APPROVAL_DENIED') return 'denied';
    return blockReason === 'APPROVAL_EXPIRED' ? 'expired' : 'blocked';
  }
  if (settlement?.status === 'succeeded') return 'paid';
  if (settlement?.status === 'failed') return 'failed';
  if (settlement?.status === 'reversed') return 'returned';
  return 'processing';
}

/** What more a list says of a payment: why it was stopped, or else what it was for. */
export function paymentNote(payment: Decided & { readonly reason: string | null }): string {
  const status = paymentStatus(payment);
  if (status === 'blocked') return blockReasonInWords(payment.blockReason ?? '');
  if (status === 'returned') return 'Sent back by the recipient’s bank; refunded';
  if (status === 'failed') return 'Payout failed; refunded';
  return payment.reason ?? '';
}

/** Whether what became of it may still change within moments. */
export function isUnderWay(payment: Decided): boolean {
  const status = paymentStatus(payment);
  return status === 'processing' || status === 'awaiting';
}
