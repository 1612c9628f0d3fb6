import type { Kobo } from '../shared/money.js';

export type SettlementStatus = 'pending' | 'processing' | 'succeeded' | 'failed' | 'reversed';

/** One step of a settlement, as it is shown among a transaction's audit events. */
export interface SettlementStep {
  readonly type: 'settlement.started' | 'settlement.succeeded' | 'settlement.failed' | 'refund.posted';
  /** ISO 8601. */
  readonly at: string;
  readonly detail: Readonly<Record<string, string | number>>;
}

/** How the money of an approved payment is moving. */
export interface Settlement {
  readonly reference: string;
  readonly status: SettlementStatus;
  readonly steps: readonly SettlementStep[];
}

/** The settlements, as the other contexts may read them. */
export abstract class Settlements {
  /** The settlements of these transactions, by transaction id. */
  abstract of(transactionIds: readonly string[]): Promise<ReadonlyMap<string, Settlement>>;
}

/** Settlements were opened with the payments they belong to: after the commit they are handed to the bank. */
export class SettlementsOpened {
  static readonly type = 'settlements.opened';
  constructor(readonly references: readonly string[]) {}
}

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
