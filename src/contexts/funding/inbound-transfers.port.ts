import type { PageRequest, TotalledPage } from '../../kernel/page.js';
import type { Tx } from '../../platform/database/tx.js';
import type { Kobo } from '../../kernel/money.js';

export const OPEN_TRANSFER_STATUSES = ['held', 'unmatched', 'conflict'] as const;

/** Waits for an operator. */
export interface OpenTransfer {
  readonly id: string;
  readonly status: (typeof OPEN_TRANSFER_STATUSES)[number];
  readonly reference: string;
  readonly amount: Kobo;
  readonly currency: string;
  /** Null: names no wallet. */
  readonly walletId: string | null;
  /** As the bank sent it. */
  readonly accountReference: string | null;
  readonly narration: string | null;
  readonly reason: string | null;
  readonly receivedAt: Date;
}

/** Why no wallet can get it; null if one can. */
export function creditProblem({ status, currency }: OpenTransfer): string | null {
  if (status === 'conflict') return 'This reference was credited or held before: mark it returned.';
  return currency === 'NGN' ? null : `A wallet holds no ${currency}: mark it returned.`;
}

export abstract class InboundTransfers {
  /** Oldest first. Totals naira alone. */
  abstract page(
    status: OpenTransfer['status'] | null,
    request: PageRequest,
  ): Promise<TotalledPage<OpenTransfer, OpenTransfer['status']>>;

  /** Open ones of a reference, oldest first. */
  abstract ofReference(reference: string, limit: number): Promise<readonly OpenTransfer[]>;

  /** Until `tx` ends. Throws `OPERATOR_SUBJECT_NOT_FOUND` unless it is open. */
  abstract lock(id: string, tx: Tx): Promise<OpenTransfer>;

  abstract isWaiting(transfer: Pick<OpenTransfer, 'status' | 'reference'>, tx: Tx): Promise<boolean>;

  /**
   * Credits a locked one. Throws `WALLET_NOT_FOUND`, and `OPERATOR_ACT_REFUSED` for a conflict, another currency,
   * or a reference that was credited meanwhile.
   */
  abstract credit(transfer: OpenTransfer, walletId: string, caseId: string | null, tx: Tx): Promise<void>;

  /** A locked one: later deliveries of its reference credit nothing. */
  abstract markReturned(transfer: OpenTransfer, tx: Tx): Promise<void>;
}
