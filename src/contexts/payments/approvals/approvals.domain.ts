import { AppError } from '../../../kernel/errors.js';
import type { PaymentStatus } from '../payments.domain.js';
import type { Transaction } from '../payments.port.js';
import type { ApprovalOutcome, ApprovalStatus } from '../payments.events.js';

/** A payment that a person was asked about. */
export type ReviewedTransaction = Transaction & {
  readonly approval: ApprovalStatus;
  readonly approvalExpiresAt: Date;
};

/** The same, with what has become of its money. */
export interface Review {
  readonly transaction: ReviewedTransaction;
  readonly status: PaymentStatus;
}

/** What an owner can decide. */
export type OwnerDecision = Exclude<ApprovalOutcome, 'expired'>;

/** What becomes of an approval: how it ends now, null when it stays as it is; and what the owner is refused with. */
export interface Ruling {
  readonly outcome: ApprovalOutcome | null;
  readonly refusal: AppError | null;
}

/**
 * Rules on the decision of an owner, under the lock of the wallet and at its time. A decision that comes too late finds
 * the approval expired, also where that is not on record yet. Deciding the same again does nothing.
 */
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
  expired: 'lapsed, because no decision was made in time',
};

function alreadyDecided(outcome: ApprovalOutcome): AppError {
  return new AppError('APPROVAL_ALREADY_DECIDED', `The payment ${ENDS[outcome]}; that is final.`);
}
