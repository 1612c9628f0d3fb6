import type { Queryable } from '../../platform/database/tx.js';

export type SettlementStatus = 'pending' | 'processing' | 'succeeded' | 'failed' | 'reversed';

export interface SettlementStep {
  readonly type: 'settlement.started' | 'settlement.succeeded' | 'settlement.failed' | 'refund.posted';
  /** ISO 8601. */
  readonly at: string;
  readonly detail: Readonly<Record<string, string | number>>;
}

/** ISO 8601. */
export interface Reversal {
  readonly reversedAt: string;
  /** Null while not refunded. */
  readonly refundedAt: string | null;
}

export interface Settlement {
  readonly reference: string;
  readonly status: SettlementStatus;
  readonly steps: readonly SettlementStep[];
  /** Null unless returned. */
  readonly reversal: Reversal | null;
}

/** Times are set only if returned. */
export interface ShownSettlement extends Partial<Reversal> {
  readonly reference: string;
  readonly status: SettlementStatus;
}

export function shownSettlement({ reference, status, reversal }: Settlement): ShownSettlement {
  return { reference, status, ...reversal };
}

/** Payouts that can still end either way. */
export interface OpenSettlements {
  readonly count: number;
  /** In kobo; at most the largest amount. */
  readonly amount: number;
  /** True if not all payouts were read. */
  readonly isPartial: boolean;
}

export interface BookedPayout {
  readonly walletId: string;
  readonly amount: number;
  readonly isRefunded: boolean;
}

export abstract class Settlements {
  /** By id. Without `from`, may throw `OVERLOADED`. */
  abstract of(transactionIds: readonly string[], from?: Queryable): Promise<ReadonlyMap<string, Settlement>>;

  /** By id. Without `from`, may throw `OVERLOADED`. */
  abstract statusesOf(
    transactionIds: readonly string[],
    from?: Queryable,
  ): Promise<ReadonlyMap<string, SettlementStatus>>;

  abstract booked(references: readonly string[], from: Queryable): Promise<ReadonlyMap<string, BookedPayout>>;

  /** May throw `OVERLOADED`. */
  abstract openOf(walletIds: readonly string[]): Promise<OpenSettlements>;

  /** Null: too many. May throw `OVERLOADED`. */
  abstract openReferences(walletIds: readonly string[]): Promise<readonly string[] | null>;
}

export abstract class SessionIds {
  /** NIP's, where the bank gave one. */
  abstract sessionIdsOf(references: readonly string[]): Promise<ReadonlyMap<string, string>>;
}
