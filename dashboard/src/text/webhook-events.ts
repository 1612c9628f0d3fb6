import type { EventName } from '../api/types.js';

/** An event without words here does not compile. */
const TOLD: Record<EventName, string> = {
  'wallet.funded': 'Money came in',
  'payment.approved': 'A payment was approved',
  'payment.blocked': 'A payment was blocked',
  'payment.settled': 'A payout arrived',
  'payment.refunded': 'A payout failed and was refunded',
  'payment.returned': 'The bank sent a payment back',
  'wallet.low_balance': 'The balance fell below your alert',
  'wallet.limit_warning': '80 or 100 % of a limit is used',
  'wallet.status_changed': 'A wallet was frozen, resumed or closed',
  'approval.requested': 'A payment waits for your approval',
  'approval.decided': 'A payment was approved, denied or has expired',
};

export const EVENTS = Object.entries(TOLD).map(([name, told]) => ({ name: name as EventName, told }));
