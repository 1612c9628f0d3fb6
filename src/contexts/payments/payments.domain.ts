import type { SettlementStatus } from '../settlement/settlement.port.js';
import type { AuditEvent } from './checks/decide.domain.js';
import type { BlockReason } from './payments.events.js';
import type { Transaction } from './payments.port.js';

/** What every event says of the attempt that it is about. */
export function attemptOf(transaction: Transaction) {
  return {
    transactionId: transaction.id,
    walletId: transaction.walletId,
    amount: transaction.amount,
    merchant: transaction.merchant,
    merchantName: transaction.merchantName,
    recipientAccountNo: transaction.recipientAccountNo,
    recipientBankCode: transaction.recipientBankCode,
    reason: transaction.reason,
    purpose: transaction.purpose,
  };
}

/** How an attempt stands. One that is not pending was decided for good. */
export type Decision = 'approved' | 'blocked' | 'pending';

export function decisionOf({
  approval,
  blockReason,
}: Pick<Transaction, 'approval' | 'blockReason'>): Decision {
  if (approval === 'pending') return 'pending';
  return blockReason === null ? 'approved' : 'blocked';
}

/**
 * What became of an attempt in the end, in one word wherever it is shown. `failed`: the bank did not pay, and it was
 * refunded; `returned`: the bank sent it back, and the settlement says whether it was refunded. `denied` and `expired`:
 * the owner refused it, or did not decide in time.
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

/** Block reasons that are a person's decision, or the lack of one. */
const STATUS_OF_BLOCK: ReadonlyMap<BlockReason, PaymentStatus> = new Map([
  ['APPROVAL_DENIED', 'denied'],
  ['APPROVAL_EXPIRED', 'expired'],
]);

/** The one derivation of the final status: from the decision, and of what was approved from its settlement. */
export function paymentStatus(
  { approval, blockReason }: Pick<Transaction, 'approval' | 'blockReason'>,
  settlement: SettlementStatus | null,
): PaymentStatus {
  if (approval === 'pending') return 'awaiting_approval';
  if (blockReason !== null) return STATUS_OF_BLOCK.get(blockReason) ?? 'blocked';
  return STATUS_OF_SETTLEMENT[settlement ?? 'pending'];
}

/** That the owner was asked about an attempt, and what became of it; empty where the owner was not asked. */
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
