import type { Queryable } from '../../platform/database/tx.js';

export interface RequestedPayment {
  readonly walletId: string;
  /** Null: older than the tracking of keys. */
  readonly keyId: string | null;
  readonly createdAt: Date;
}

export interface ApprovalRule {
  /** Lowest `secondApprovalAbove` of key and wallet since the request. */
  readonly secondAbove: number | null;
  /** Made the key that asked. */
  readonly requesterId: string | null;
}

export abstract class ApprovalRules {
  /** In order. */
  abstract of(payments: readonly RequestedPayment[], from: Queryable): Promise<readonly ApprovalRule[]>;
}
