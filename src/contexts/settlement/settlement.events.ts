import type { Kobo } from '../../kernel/money.js';

export class SettlementSucceeded {
  static readonly type = 'settlement.succeeded';
  readonly reference: string;
  readonly walletId: string;
  readonly amount: Kobo;
  readonly at: string;
  readonly requestId?: string | null;
  readonly traceParent?: string | null;

  constructor(payload: SettlementSucceeded) {
    Object.assign(this, payload);
  }
}

/** The payout finally failed: refund the wallet, once. */
export class SettlementFailed {
  static readonly type = 'settlement.failed';
  readonly reference: string;
  readonly walletId: string;
  readonly amount: Kobo;
  /** ISO 8601: the period it counted in. */
  readonly approvedAt: string;
  readonly reason: string;
  readonly requestId?: string | null;
  readonly traceParent?: string | null;

  constructor(payload: SettlementFailed) {
    Object.assign(this, payload);
  }
}

/** The bank took back a payout. {@link ReturnRefunded} refunds it. */
export class SettlementReversed {
  static readonly type = 'settlement.reversed';
  readonly reference: string;
  readonly walletId: string;
  readonly amount: Kobo;
  readonly reason: string;
  readonly isWithdrawal: boolean;
  readonly at: string;
  readonly requestId?: string | null;
  readonly traceParent?: string | null;

  constructor(payload: SettlementReversed) {
    Object.assign(this, payload);
  }
}

/** Refund the wallet for a payout that was taken back, once. */
export class ReturnRefunded {
  static readonly type = 'settlement.return_refunded';
  readonly reference: string;
  readonly walletId: string;
  readonly amount: Kobo;
  readonly isWithdrawal: boolean;
  /** Set if an operator refunds it. */
  readonly caseId: string | null;
  readonly requestId?: string | null;

  constructor(payload: ReturnRefunded) {
    Object.assign(this, payload);
  }
}

/** A withdrawal finally failed: refund the wallet, once. */
export class WithdrawalFailed {
  static readonly type = 'withdrawal.failed';
  readonly withdrawalId: string;
  readonly walletId: string;
  readonly amount: Kobo;
  readonly reason: string;

  constructor(payload: WithdrawalFailed) {
    Object.assign(this, payload);
  }
}
