import type { Kobo } from '../../kernel/money.js';
import type { PageRequest, TotalledPage } from '../../kernel/page.js';
import type { Tx } from '../../platform/database/tx.js';
import type { SettlementStatus, SettlementStep } from './settlement.port.js';

export const LISTED_STATES = ['open', 'returned', 'failed', 'paid'] as const;
export type ListedState = (typeof LISTED_STATES)[number];

export interface OperatedPayout {
  readonly reference: string;
  readonly walletId: string;
  readonly amount: Kobo;
  readonly accountNumber: string;
  readonly bankCode: string;
  readonly isWithdrawal: boolean;
  readonly status: SettlementStatus;
  readonly isRefunded: boolean;
  readonly approvedAt: Date;
  /** Null if never submitted. */
  readonly submittedAt: Date | null;
  readonly steps: readonly SettlementStep[];
}

/** Why it can not be refunded; null if it can. */
export function refundProblem({ status, isRefunded }: OperatedPayout): string | null {
  if (status !== 'reversed') return 'The bank has not sent this payout back.';
  return isRefunded ? 'It is refunded already.' : null;
}

export abstract class Payouts {
  /**
   * Newest first, of `references` alone if given. `failed` and `paid` are sought among the newest 10,000; `returned`
   * needs `references`.
   */
  abstract page(
    state: ListedState | null,
    references: readonly string[] | null,
    request: PageRequest,
  ): Promise<TotalledPage<OperatedPayout, SettlementStatus>>;

  /** Asks the bank now, and records its answer. Null: unknown payout. */
  abstract askBank(
    reference: string,
  ): Promise<{ readonly kind: string; readonly reason: string | null } | null>;

  /** Until `tx` ends. Throws `OPERATOR_SUBJECT_NOT_FOUND`. */
  abstract lock(reference: string, tx: Tx): Promise<OperatedPayout>;

  /**
   * Ends a locked one as the bank told a person. Throws `OPERATOR_ACT_REFUSED` unless it is open and was
   * submitted so long ago that no submission is under way.
   */
  abstract recordWord(
    payout: OperatedPayout,
    outcome: 'paid' | 'failed',
    reason: string,
    tx: Tx,
  ): Promise<void>;

  /** Refunds a locked one that the bank took back. Throws `OPERATOR_ACT_REFUSED` for others, and when it is refunded. */
  abstract refund(payout: OperatedPayout, caseId: string | null, tx: Tx): Promise<void>;
}
