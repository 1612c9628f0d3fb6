import { AppError } from '../../../kernel/errors.js';
import type { ApprovalRule } from '../../wallet/approval-rules.port.js';
import type { KeyLabel } from '../../wallet/wallet.port.js';
import type { PaymentStatus } from '../payments.domain.js';
import type { Transaction } from '../payments.port.js';
import type { ApprovalOutcome, ApprovalStatus } from '../payments.events.js';

export type ReviewedTransaction = Transaction & {
  readonly approval: ApprovalStatus;
  readonly approvalExpiresAt: Date;
};

export const APPROVAL_SORTS = ['-createdAt', 'expiresAt'] as const;
export type ApprovalSort = (typeof APPROVAL_SORTS)[number];

export const EARLIER_ATTEMPTS_MAX = 5_000;

export interface PaidBefore {
  readonly payments: number;
  readonly lastAt: Date | null;
  /** Null: all earlier attempts were searched. */
  readonly since: Date | null;
}

export interface Review {
  readonly transaction: ReviewedTransaction;
  readonly status: PaymentStatus;
  /** While a second one is missing. */
  readonly approvedBy?: readonly string[];
  readonly key?: KeyLabel;
  readonly decidedByEmail?: string;
  readonly paidBefore?: PaidBefore;
  /** Set while it takes two. */
  readonly byTwo?: ApprovalRule;
}

export type OwnerDecision = Exclude<ApprovalOutcome, 'expired'>;

/** An approval's end (null: it stays) and the owner's refusal. */
export interface Ruling {
  readonly outcome: ApprovalOutcome | null;
  readonly refusal: AppError | null;
}

/** A late decision finds it expired; a repeated one does nothing. The wallet is locked. */
export function ruleOn(
  { approval, approvalExpiresAt }: Pick<ReviewedTransaction, 'approval' | 'approvalExpiresAt'>,
  decision: OwnerDecision,
  wallet: { readonly status: string; readonly expiry: Date; readonly now: Date },
): Ruling {
  if (approval !== 'pending') {
    return { outcome: null, refusal: approval === decision ? null : alreadyDecided(approval) };
  }
  if (wallet.now >= approvalExpiresAt) return { outcome: 'expired', refusal: alreadyDecided('expired') };
  if (decision === 'approved' && wallet.status !== 'ACTIVE') {
    const message = `The wallet is not active (${wallet.status}): let it pay again first, or deny the payment.`;
    return { outcome: null, refusal: new AppError('WALLET_INACTIVE', message) };
  }
  if (decision === 'approved' && wallet.now >= wallet.expiry) {
    const message = `The wallet expired at ${wallet.expiry.toISOString()}: give it a later expiry first, or deny the payment.`;
    return { outcome: null, refusal: new AppError('WALLET_EXPIRED', message) };
  }
  return { outcome: decision, refusal: null };
}

const ENDS: Readonly<Record<ApprovalOutcome, string>> = {
  approved: 'was approved',
  denied: 'was denied',
  expired: 'expired, because no decision was made in time',
};

function alreadyDecided(outcome: ApprovalOutcome): AppError {
  return new AppError('APPROVAL_ALREADY_DECIDED', `The payment ${ENDS[outcome]}; that is final.`);
}

export function requesterApproves(): AppError {
  return new AppError(
    'REQUESTER_CANNOT_APPROVE',
    'You made the key that asked for this payment, which takes two other members: have them approve it.',
  );
}
