import type { EventName } from './api/types.js';

/** What each event tells; one that the API gains does not compile until it has its words here. */
const TOLD: Record<EventName, string> = {
  'wallet.funded': 'Money came in',
  'payment.approved': 'A payment passed the checks',
  'payment.blocked': 'A payment was blocked',
  'payment.settled': 'The recipient was paid',
  'payment.refunded': 'The bank did not pay, the money is back',
  'wallet.low_balance': 'The balance fell below its threshold',
};

export const EVENTS = Object.entries(TOLD).map(([name, told]) => ({ name: name as EventName, told }));
