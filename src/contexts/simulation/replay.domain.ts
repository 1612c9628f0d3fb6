import type { Decisions, Transaction } from '../payments/payments.port.js';
import type { BlockReason } from '../../kernel/errors.js';

export interface Difference {
  readonly transactionId: string;
  readonly createdAt: Date;
  readonly amount: number;
  /** Null: approved. */
  readonly recorded: BlockReason | null;
  readonly now: BlockReason | null;
}

/** Null if all checks passed, also before a denial. */
export function blockedByCheck(blockReason: BlockReason | null): BlockReason | null {
  return blockReason === 'APPROVAL_DENIED' || blockReason === 'APPROVAL_EXPIRED' ? null : blockReason;
}

/** Null if nothing changed. */
export function differenceOf(transaction: Transaction, decisions: Decisions): Difference | null {
  const recorded = blockedByCheck(transaction.blockReason);
  const now = decisions.firstFailed(transaction.facts, transaction);
  if (now === recorded) return null;
  const { id: transactionId, createdAt, amount } = transaction;
  return { transactionId, createdAt, amount, recorded, now };
}
