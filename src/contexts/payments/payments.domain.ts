import { detailsOf } from './payments.events.js';
import type { SettlementStatus } from '../settlement/settlement.port.js';
import type { AuditEvent } from './checks/decide.domain.js';
import type { BlockReason } from '../../kernel/errors.js';
import type { Transaction } from './payments.port.js';

export function attemptOf(transaction: Transaction & { readonly traceParent?: string | null }) {
  return {
    transactionId: transaction.id,
    walletId: transaction.walletId,
    details: detailsOf(transaction),
    keyId: transaction.keyId,
    purpose: transaction.purpose,
    requestId: transaction.requestId,
    traceParent: transaction.traceParent,
  };
}

export type Decision = 'approved' | 'blocked' | 'pending';

export function decisionOf({
  approval,
  blockReason,
}: Pick<Transaction, 'approval' | 'blockReason'>): Decision {
  if (approval === 'pending') return 'pending';
  return blockReason === null ? 'approved' : 'blocked';
}

/**
 * Final status. `failed`: not paid by the bank, refunded. `returned`: sent back by the bank. `denied`,
 * `expired`: by the owner, or not decided in time.
 */
export const PAYMENT_STATUSES = [
  'paid',
  'processing',
  'awaiting_approval',
  'failed',
  'returned',
  'blocked',
  'denied',
  'expired',
] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

const STATUS_OF_SETTLEMENT = {
  pending: 'processing',
  processing: 'processing',
  succeeded: 'paid',
  failed: 'failed',
  reversed: 'returned',
} as const satisfies Record<SettlementStatus, PaymentStatus>;

const STATUS_OF_BLOCK: ReadonlyMap<BlockReason, PaymentStatus> = new Map([
  ['APPROVAL_DENIED', 'denied'],
  ['APPROVAL_EXPIRED', 'expired'],
]);

export function paymentStatus(
  { approval, blockReason }: Pick<Transaction, 'approval' | 'blockReason'>,
  settlement: SettlementStatus | null,
): PaymentStatus {
  if (approval === 'pending') return 'awaiting_approval';
  if (blockReason !== null) return STATUS_OF_BLOCK.get(blockReason) ?? 'blocked';
  return STATUS_OF_SETTLEMENT[settlement ?? 'pending'];
}

export function approvalEvents(transaction: Transaction): AuditEvent[] {
  const { approval, facts, amount, approvalDecidedAt: decidedAt, approvalNote: note } = transaction;
  if (approval === null) return [];
  const detail = { limit: facts.approval?.threshold ?? 0, actual: amount };
  const requested = { type: 'approval.requested', at: facts.now, detail };
  if (!decidedAt) return [requested];
  return [
    requested,
    {
      type: `approval.${approval}`,
      at: decidedAt.toISOString(),
      detail: note === null ? {} : { note },
    },
  ];
}
