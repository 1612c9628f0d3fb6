/** Whom a payment is for. */
export interface Payee {
  readonly merchantName: string;
  readonly accountNumber: string;
  readonly bankCode: string;
}

/** The payments, as the other contexts may read them. */
export abstract class Payments {
  /** Whom these payments are for, by transaction id. */
  abstract payeesOf(transactionIds: readonly string[]): Promise<ReadonlyMap<string, Payee>>;
}
