import type { Tx } from '../../../platform/database/tx.js';
import type { Kobo } from '../../../kernel/money.js';

/** The most payees of one wallet, registered and remembered ones together. */
export const PAYEES_MAX = 1_000;

/** A payment that is about to be decided: whom it pays. */
export interface PayeeQuery {
  readonly walletId: string;
  readonly keyId: string;
  /** The merchant's identity. */
  readonly merchant: string;
  readonly recipientAccountNo: string;
  readonly recipientBankCode: string;
}

/** An account that a merchant may be paid at. */
export interface MerchantAccount {
  readonly accountNumber: string;
  readonly bankCode: string;
  /** By the owner; else it is the account that the merchant was first paid at. */
  readonly isRegistered: boolean;
  /** An approved payment to it is on record. */
  readonly isPaid: boolean;
}

/** The payees that one wallet has for one merchant, none included. */
export interface MerchantPayees {
  readonly walletId: string;
  readonly merchant: string;
  readonly accounts: readonly MerchantAccount[];
  /** How many payees the wallet has in all; read only where this merchant has none. */
  readonly payeeCount: number | null;
}

/** What is known of an account that one wallet may have paid. */
export interface AccountAge {
  readonly walletId: string;
  readonly accountNumber: string;
  readonly bankCode: string;
  /** When it was first paid or registered, whichever was first; null: never. */
  readonly since: Date | null;
  /** What was paid to it while it cooled off, and not refunded. */
  readonly coolingSpent: Kobo;
}

/** How old a key is, where it cools off. */
export interface KeyAge {
  readonly keyId: string;
  /** Its creation, or that of the key whose age it took over. */
  readonly since: Date;
  /** What it paid while it cooled off, and was not refunded. */
  readonly coolingSpent: Kobo;
}

/** What the rules on payees and cooling off look at, as it stands under the locks of a transaction. */
export interface PayeeReadings {
  readonly merchants: readonly MerchantPayees[];
  readonly accounts: readonly AccountAge[];
  readonly keys: readonly KeyAge[];
}

/** Whom wallets have paid and may pay. */
export abstract class Payees {
  /** What is known of these payees, in one round trip. Wallets that `tx` has locked can't change until it ends. */
  abstract read(queries: readonly PayeeQuery[], tx: Tx): Promise<PayeeReadings>;
}
