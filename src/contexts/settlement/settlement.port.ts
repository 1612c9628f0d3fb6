import type { Queryable } from '../../platform/database/tx.js';

export type SettlementStatus = 'pending' | 'processing' | 'succeeded' | 'failed' | 'reversed';

/** One step of a settlement, as it is shown among a transaction's audit events. */
export interface SettlementStep {
  readonly type: 'settlement.started' | 'settlement.succeeded' | 'settlement.failed' | 'refund.posted';
  /** ISO 8601. */
  readonly at: string;
  readonly detail: Readonly<Record<string, string | number>>;
}

/** What became of the money of a payout that the bank sent back, both in ISO 8601. */
export interface Reversal {
  readonly reversedAt: string;
  /** When the wallet was refunded; null while it was not. */
  readonly refundedAt: string | null;
}

/** How far the payout of an approved payment or of a withdrawal is. */
export interface Settlement {
  /** The id of the transaction or of the withdrawal. */
  readonly reference: string;
  readonly status: SettlementStatus;
  readonly steps: readonly SettlementStep[];
  /** Null unless the bank sent the payout back. */
  readonly reversal: Reversal | null;
}

/** A settlement as it is shown. The times are there when the bank sent the payout back. */
export interface ShownSettlement extends Partial<Reversal> {
  readonly reference: string;
  readonly status: SettlementStatus;
}

export function shownSettlement({ reference, status, reversal }: Settlement): ShownSettlement {
  return { reference, status, ...reversal };
}

/** Payouts that can still end either way: the bank has them, or is about to. */
export interface OpenSettlements {
  readonly count: number;
  /** Kobo; past what a number holds exactly, the largest amount. */
  readonly amount: number;
  /** Whether there may be more: so many payouts of all users are open that not all were looked at. */
  readonly isPartial: boolean;
}

/** The settlements, as the other contexts may read them. */
export abstract class Settlements {
  /**
   * The settlements of these transactions or withdrawals, by id. Read as lists are, which may be refused `OVERLOADED`,
   * unless `from` is given.
   */
  abstract of(transactionIds: readonly string[], from?: Queryable): Promise<ReadonlyMap<string, Settlement>>;

  /**
   * How far each of these transactions' or withdrawals' settlements is, by id. Read as lists are, which may be refused
   * `OVERLOADED`, unless `from` is given.
   */
  abstract statusesOf(
    transactionIds: readonly string[],
    from?: Queryable,
  ): Promise<ReadonlyMap<string, SettlementStatus>>;

  /** The open settlements of these wallets. Read as lists are, which may be refused `OVERLOADED`. */
  abstract openOf(walletIds: readonly string[]): Promise<OpenSettlements>;
}
