/** Whom a payment is for. */
export interface Payee {
  readonly merchantName: string;
  readonly accountNumber: string;
  readonly bankCode: string;
}

/** An attempt to pay, told apart from the others. */
export interface AttemptMade {
  readonly id: string;
  readonly walletId: string;
  /** Blocked at once, for good. */
  readonly isBlocked: boolean;
  /** Its owner was asked about it. */
  readonly isReviewed: boolean;
}

/** Attempts of a wallet: those with `after` < `seq` <= `upTo`. */
export interface AttemptRange {
  readonly walletId: string;
  readonly after: number;
  readonly upTo: number;
}

/** How busy the payments are: work that no caller waits for gives way to them. */
export abstract class PaymentLoad {
  /** How many payments wait for their decision right now, in this process. */
  abstract readonly undecided: number;
}

/** The payments, as the other contexts may read them. */
export abstract class Payments {
  /** Whom these payments are for, by transaction id. */
  abstract payeesOf(transactionIds: readonly string[]): Promise<ReadonlyMap<string, Payee>>;

  /** The newest `limit` attempts of these wallets, and the newest `limit` of those that wait for their owner. */
  abstract newest(walletIds: readonly string[], limit: number): Promise<readonly AttemptMade[]>;

  /** All attempts of these ranges, in the order in which each wallet made them. */
  abstract between(ranges: readonly AttemptRange[]): Promise<readonly AttemptMade[]>;
}
