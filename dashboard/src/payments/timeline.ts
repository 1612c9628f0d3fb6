import type { AuditEvent, TransactionDetails } from '../api/types.js';
import { blockReasonInWords } from './checks.js';
import { plainNaira } from '../money/money.js';
import type { Tone } from '../look/tone.js';

export interface Step {
  name: string;
  /** ISO 8601; null for what is yet to come. */
  at: string | null;
  note: string | null;
  tone: Tone;
}

const SETTLEMENT_STEPS: Readonly<Record<string, { name: string; tone: Tone }>> = {
  'approval.approved': { name: 'Approved', tone: 'good' },
  'approval.denied': { name: 'Denied', tone: 'bad' },
  'approval.expired': { name: 'Expired without a decision', tone: 'calm' },
  'settlement.started': { name: 'Sent to the bank', tone: 'info' },
  'settlement.succeeded': { name: 'Paid to the recipient', tone: 'good' },
  'settlement.failed': { name: 'Payout failed', tone: 'bad' },
  'refund.posted': { name: 'Refunded to the wallet', tone: 'info' },
};

/**
 * What happened to a payment from the request on, in order, with what it waits for at the end. `nameOf` names who
 * decided.
 */
export function timelineOf(payment: TransactionDetails, nameOf: (userId: string) => string): Step[] {
  const { status } = payment;
  const steps: Step[] = [{ name: 'Requested by the agent', at: payment.createdAt, note: null, tone: 'info' }];
  if (status === 'blocked') {
    const reason = blockReasonInWords(payment.blockReason ?? '');
    steps.push({ name: 'Blocked', at: payment.createdAt, note: reason, tone: 'bad' });
  } else {
    steps.push({ name: 'Passed all rules', at: payment.createdAt, note: null, tone: 'info' });
  }
  const wasPaid = payment.auditEvents.some(({ type }) => type === 'settlement.succeeded');
  for (const event of payment.auditEvents) {
    if (!event.type.startsWith('check.')) steps.push(stepOf(event, wasPaid, nameOf));
  }
  if (status === 'processing') {
    steps.push({ name: 'Waiting for the bank', at: null, note: null, tone: 'calm' });
  }
  if (status === 'returned' && !payment.settlement?.refundedAt) {
    steps.push({
      name: 'Being resolved by our operators',
      at: null,
      note: 'The money is not in the wallet yet. You need do nothing.',
      tone: 'wait',
    });
  }
  if (status === 'awaiting_approval') {
    steps.push({ name: 'Waiting for approval', at: null, note: null, tone: 'wait' });
  }
  return steps;
}

function stepOf(
  { type, at, detail }: AuditEvent,
  wasPaid: boolean,
  nameOf: (userId: string) => string,
): Step {
  const known = SETTLEMENT_STEPS[type];
  const said = typeof detail.note === 'string' ? `“${detail.note}”` : null;
  const note = typeof detail.reason === 'string' ? detail.reason : said;
  if (type === 'approval.requested' && typeof detail.limit === 'number') {
    const more = `More than ${plainNaira(detail.limit)}, the approval threshold`;
    return { name: 'Sent for approval', at, note: more, tone: 'wait' };
  }
  if (type === 'settlement.failed' && wasPaid) {
    return { name: 'Sent back by the bank', at, note, tone: 'bad' };
  }
  const by = detail.decidedBy === undefined ? '' : ` by ${nameOf(detail.decidedBy)}`;
  return { name: (known?.name ?? spelledOut(type)) + by, at, note, tone: known?.tone ?? 'calm' };
}

/** A step that is new here: `approval.requested` as `Approval requested`. */
function spelledOut(type: string): string {
  const words = type.replace(/[._]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
