import type { Kobo } from '../../kernel/money.js';

/** The bank has paid the recipient. */
export class SettlementSucceeded {
  static readonly type = 'settlement.succeeded';
  constructor(
    readonly reference: string,
    readonly walletId: string,
    readonly amount: Kobo,
    readonly at: string,
  ) {}
}

/** The bank said for good that the recipient was not paid: the money goes back to the wallet, once. */
export class SettlementFailed {
  static readonly type = 'settlement.failed';
  constructor(
    readonly reference: string,
    readonly walletId: string,
    readonly amount: Kobo,
    /** When the payment was approved, ISO 8601: the period it counted in. */
    readonly paidAt: string,
    readonly why: string,
  ) {}
}
