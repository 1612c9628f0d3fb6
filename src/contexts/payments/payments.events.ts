import { EventOf } from '../../kernel/event.js';
import type { BlockReason } from '../../kernel/errors.js';
import type { Kobo } from '../../kernel/money.js';
import { APPROVAL_TTL_MINUTES_MAX, type AttemptTotals } from '../wallet/wallet.port.js';

/** Columns that go from an intent through row and events to every answer. */
export interface PaymentDetails {
  readonly amount: Kobo;
  /** Normalised name. */
  readonly merchant: string;
  /** As supplied, trimmed. */
  readonly merchantName: string;
  readonly recipientAccountNo: string;
  readonly recipientBankCode: string;
  readonly reason: string | null;
  /** The agent's run that it belongs to, and why it is made, in the agent's words. */
  readonly runId: string | null;
  readonly rationale: string | null;
}

export function detailsOf(payment: PaymentDetails): PaymentDetails {
  return {
    amount: payment.amount,
    merchant: payment.merchant,
    merchantName: payment.merchantName,
    recipientAccountNo: payment.recipientAccountNo,
    recipientBankCode: payment.recipientBankCode,
    reason: payment.reason,
    runId: payment.runId,
    rationale: payment.rationale,
  };
}

const SHOWN_IF_GIVEN = ['runId', 'rationale'] as const;

/** Details that are shown only if the agent gave them. */
export type GivenDetails = Partial<Record<(typeof SHOWN_IF_GIVEN)[number], string>>;

export function givenDetails(payment: PaymentDetails): GivenDetails {
  const given: GivenDetails = {};
  for (const name of SHOWN_IF_GIVEN) if (payment[name] !== null) given[name] = payment[name];
  return given;
}

abstract class DecidedPayment {
  /** Also the id of its approval. */
  readonly transactionId: string;
  readonly walletId: string;
  readonly details: PaymentDetails;
  /** Null on attempts older than key tracking. */
  readonly keyId: string | null;
  readonly purpose: string | null;
  readonly requestId: string | null;
  /** W3C `traceparent` of the request. */
  readonly traceParent?: string | null | undefined;
  readonly at: Date;

  /** Assigned one by one: `Object.assign` is five times as slow. */
  constructor(payload: DecidedPayment) {
    this.transactionId = payload.transactionId;
    this.walletId = payload.walletId;
    this.details = payload.details;
    this.keyId = payload.keyId;
    this.purpose = payload.purpose;
    this.requestId = payload.requestId;
    this.traceParent = payload.traceParent;
    this.at = payload.at;
  }
}

/**
 * Resulting wallet state of a batch of attempts, one event a wallet, under its lock: wallet stores what
 * payments computed.
 */
export class AttemptsDecided {
  static readonly type = 'payment.attempts-decided';
  readonly walletId: string;
  /** Number approved, and their sum in kobo. */
  readonly approved: number;
  readonly spent: number;
  readonly balanceAfter: Kobo;
  readonly held: Kobo;
  readonly heldCount: number;
  readonly totals: AttemptTotals;
  readonly at: Date;

  constructor(payload: AttemptsDecided) {
    Object.assign(this, payload);
  }
}

/** A payment's id, made with its intent, is at most this much older than its approval. */
export const APPROVAL_WAIT_MS_MAX = APPROVAL_TTL_MINUTES_MAX * 60_000;

/** An attempt passed, or its owner approved it: debit the wallet and pay out under the id as reference. */
export class PaymentApproved extends DecidedPayment {
  static readonly type = 'payment.approved';
  /** In kobo. */
  readonly balanceAfter: Kobo;

  constructor(payload: PaymentApproved) {
    super(payload);
    this.balanceAfter = payload.balanceAfter;
  }
}

/** A merchant is bound to the account first paid. The holder's name is unknown. */
export class PayeeRemembered extends EventOf<{
  readonly walletId: string;
  readonly payeeId: string;
  readonly accountNumber: string;
  readonly bankCode: string;
  /** Absent: an old payment bound it, found by a new policy. */
  readonly merchantName?: string;
}>('payee.remembered') {}

/** A check failed: the attempt is stored, nothing moved. */
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

/** Payments reached 80 or 100 % of a limit: once in its window, and again after a change of the limit. */
export class LimitWarned extends EventOf<{
  readonly walletId: string;
  /** Null: the wallet's own limit. */
  readonly keyId: string | null;
  readonly budget: 'period' | 'total';
  readonly percent: 80 | 100;
  /** In kobo. */
  readonly limit: number;
  readonly spent: number;
  /** Null: a total. */
  readonly days: number | null;
  readonly at: Date;
}>('wallet.limit_warning') {}

export type ApprovalOutcome = 'approved' | 'denied' | 'expired';
export type ApprovalStatus = 'pending' | ApprovalOutcome;

/** All checks passed and a person must decide: the amount is held. */
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
 * An approval ended: its hold is spent or released. The wallet is locked. `PaymentApproved` or
 * `PaymentBlocked` follows.
 */
export class ApprovalDecided extends DecidedPayment {
  static readonly type = 'approval.decided';
  readonly outcome: ApprovalOutcome;
  /** Null: expired. */
  readonly decidedBy: string | null;
  readonly note: string | null;

  constructor(payload: ApprovalDecided) {
    super(payload);
    this.outcome = payload.outcome;
    this.decidedBy = payload.decidedBy;
    this.note = payload.note;
  }
}
