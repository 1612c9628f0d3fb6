import type { Queryable } from '../../platform/database/tx.js';

export interface RequestedPayment {
  readonly walletId: string;
  /** Null: older than the tracking of keys. */
  readonly keyId: string | null;
  readonly createdAt: Date;
}

export interface ApprovalRule {
  /** Strictest `secondApprovalAbove` since the request. Null: none. */
  readonly secondAbove: number | null;
  /** Made the key that asked. */
  readonly requesterId: string | null;
}

export abstract class ApprovalRules {
  /** In order. */
  abstract of(payments: readonly RequestedPayment[], from: Queryable): Promise<readonly ApprovalRule[]>;
}
