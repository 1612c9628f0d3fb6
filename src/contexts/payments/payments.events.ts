import type { BLOCK_REASONS } from '../../kernel/errors.js';
import type { Kobo } from '../../kernel/money.js';
import type { AttemptTotals } from '../wallet/wallet.port.js';

/** The code of what blocked a payment. */
export type BlockReason = (typeof BLOCK_REASONS)[number];

/** An attempt to pay that was decided and stored. */
abstract class DecidedPayment {
  /** Also the id of its approval, where it needs one. */
  readonly transactionId: string;
  readonly walletId: string;
  readonly amount: Kobo;
  readonly merchant: string;
  readonly merchantName: string;
  readonly recipientAccountNo: string;
  readonly recipientBankCode: string;
  readonly reason: string | null;
  /** What the key is for, where its owner said so. */
  readonly purpose: string | null;
  readonly at: Date;

  /** Member by member: each payment makes one, and `Object.assign` takes five times as long. */
  constructor(payload: DecidedPayment) {
    this.transactionId = payload.transactionId;
    this.walletId = payload.walletId;
    this.amount = payload.amount;
    this.merchant = payload.merchant;
    this.merchantName = payload.merchantName;
    this.recipientAccountNo = payload.recipientAccountNo;
    this.recipientBankCode = payload.recipientBankCode;
    this.reason = payload.reason;
    this.purpose = payload.purpose;
    this.at = payload.at;
  }
}

/**
 * Attempts on one wallet were decided, in the transaction that holds its lock: one event a wallet, with where they leave
 * it. Each attempt has an event of its own too.
 */
export class AttemptsDecided {
  static readonly type = 'payment.attempts-decided';
  readonly walletId: string;
  /** How many were approved, and their sum in kobo. */
  readonly approved: number;
  readonly spent: number;
  readonly balanceAfter: Kobo;
  /** What waits for a person then, these attempts included: the sum and the number. */
  readonly held: Kobo;
  readonly heldCount: number;
  readonly totals: AttemptTotals;
  readonly at: Date;

  constructor(payload: AttemptsDecided) {
    Object.assign(this, payload);
  }
}

/**
 * An attempt passed all checks and rules, or its owner approved it: the wallet is to be debited and the money to be paid
 * out, under the id as reference.
 */
export class PaymentApproved extends DecidedPayment {
  static readonly type = 'payment.approved';
  /** What the wallet has left. */
  readonly balanceAfter: Kobo;

  constructor(payload: PaymentApproved) {
    super(payload);
    this.balanceAfter = payload.balanceAfter;
  }
}

/** A key with limits paid: it counts against them, until it is given back. */
export class LimitedKeyPaid {
  static readonly type = 'payment.limited-key-paid';
  readonly walletId: string;
  readonly keyId: string;
  readonly transactionId: string;
  readonly amount: Kobo;
  /** Its number in the key's life: 1, 2, 3 without gaps. */
  readonly seq: number;
  /** All that the key ever spent, this payment included. */
  readonly spentTotal: bigint;
  readonly at: Date;

  constructor(payload: LimitedKeyPaid) {
    Object.assign(this, payload);
  }
}

/**
 * A payment was approved that is the first to a payee of its wallet. A payee that is new is one from now on: the account
 * that its merchant was first paid at.
 */
export class PayeeFirstPaid {
  static readonly type = 'payment.payee-first-paid';
  readonly walletId: string;
  readonly transactionId: string;
  readonly merchant: string;
  readonly merchantName: string;
  readonly accountNumber: string;
  readonly bankCode: string;
  readonly isNew: boolean;
  /** For whom it binds the merchant: the history of a key with limits, or the nil UUID for all keys of the wallet. */
  readonly historyId: string;
  readonly at: Date;

  constructor(payload: PayeeFirstPaid) {
    Object.assign(this, payload);
  }
}

/** A payment counts in what its key, its payee, or both may be paid with while they cool off. */
export class CoolingOffSpent {
  static readonly type = 'payment.cooling-off-spent';
  readonly walletId: string;
  readonly transactionId: string;
  readonly amount: Kobo;
  /** Null: the key does not cool off. */
  readonly keyId: string | null;
  /** Null: the payee does not cool off. */
  readonly account: { readonly accountNumber: string; readonly bankCode: string } | null;
  /** When it was approved; null: it waits for a person. */
  readonly paidAt: Date | null;

  constructor(payload: CoolingOffSpent) {
    Object.assign(this, payload);
  }
}

/** A check failed: the attempt is on record and nothing moved. */
export class PaymentBlocked extends DecidedPayment {
  static readonly type = 'payment.blocked';
  readonly blockReason: BlockReason;
  readonly message: string;

  constructor(payload: PaymentBlocked) {
    super(payload);
    this.blockReason = payload.blockReason;
    this.message = payload.message;
  }
}

/** How an approval ended: by the owner's decision, or because there was none in time. */
export type ApprovalOutcome = 'approved' | 'denied' | 'expired';
export type ApprovalStatus = 'pending' | ApprovalOutcome;

/** All checks passed, but a person is to decide: the amount is held, and nothing has moved. */
export class ApprovalRequested extends DecidedPayment {
  static readonly type = 'approval.requested';
  /** From then on it can't be approved. */
  readonly expiresAt: Date;

  constructor(payload: ApprovalRequested) {
    super(payload);
    this.expiresAt = payload.expiresAt;
  }
}

/**
 * A payment that waited for a person waits no more: its hold is spent when it was approved, else released. The wallet
 * is locked. `PaymentApproved` or `PaymentBlocked` follows.
 */
export class ApprovalDecided extends DecidedPayment {
  static readonly type = 'approval.decided';
  /** The key that asked for it; null of attempts from before keys were noted. */
  readonly keyId: string | null;
  readonly outcome: ApprovalOutcome;
  /** Null: no owner decided in time. */
  readonly decidedBy: string | null;
  readonly note: string | null;

  constructor(payload: ApprovalDecided) {
    super(payload);
    this.keyId = payload.keyId;
    this.outcome = payload.outcome;
    this.decidedBy = payload.decidedBy;
    this.note = payload.note;
  }
}
