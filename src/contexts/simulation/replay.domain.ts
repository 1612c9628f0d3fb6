import type { Decisions, Transaction } from '../payments/payments.port.js';
import type { BlockReason } from '../payments/payments.events.js';

/** A recorded attempt that the present code decides otherwise. */
export interface Difference {
  readonly transactionId: string;
  readonly createdAt: Date;
  readonly amount: number;
  /** Null: every check passed. */
  readonly recorded: BlockReason | null;
  readonly now: BlockReason | null;
}

/** The code of the check that blocked an attempt; null when all passed, also where a person said no afterwards. */
export function blockedByCheck(blockReason: BlockReason | null): BlockReason | null {
  return blockReason === 'APPROVAL_DENIED' || blockReason === 'APPROVAL_EXPIRED' ? null : blockReason;
}

/** Decides an attempt again on the facts that it was decided on; null when that comes to the same. */
export function differenceOf(transaction: Transaction, decisions: Decisions): Difference | null {
  const recorded = blockedByCheck(transaction.blockReason);
  const now = decisions.firstFailed(transaction.facts, transaction);
  if (now === recorded) return null;
  const { id: transactionId, createdAt, amount } = transaction;
  return { transactionId, createdAt, amount, recorded, now };
}
