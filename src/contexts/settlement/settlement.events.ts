import type { Kobo } from '../../kernel/money.js';

/** The bank has paid the recipient. */
export class SettlementSucceeded {
  static readonly type = 'settlement.succeeded';
  readonly reference: string;
  readonly walletId: string;
  readonly amount: Kobo;
  readonly at: string;

  constructor(payload: SettlementSucceeded) {
    Object.assign(this, payload);
  }
}

/** The bank said for good that the recipient was not paid: the money goes back to the wallet, once. */
export class SettlementFailed {
  static readonly type = 'settlement.failed';
  readonly reference: string;
  readonly walletId: string;
  readonly amount: Kobo;
  /** When the payment was approved, ISO 8601: the period it counted in. */
  readonly approvedAt: string;
  readonly reason: string;

  constructor(payload: SettlementFailed) {
    Object.assign(this, payload);
  }
}

/** The bank took back a payout that it had made. Nothing is refunded by this. */
export class SettlementReversed {
  static readonly type = 'settlement.reversed';
  readonly reference: string;
  readonly walletId: string;
  readonly amount: Kobo;
  readonly reason: string;
  /** An owner took the money out; else an agent paid. */
  readonly isWithdrawal: boolean;
  readonly at: string;

  constructor(payload: SettlementReversed) {
    Object.assign(this, payload);
  }
}

/** The bank said for good that an owner's withdrawal was not paid: the money goes back to the wallet, once. */
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
