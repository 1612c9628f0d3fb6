import type { Tx } from '../../../platform/database/tx.js';
import type { Kobo } from '../../../kernel/money.js';

/** The most payees of one wallet, registered and remembered ones together. */
export const PAYEES_MAX = 1_000;
/** Of a key with limits, and those it goes on from, beside these: as many merchants as an agent's errand takes. */
export const PAYEES_OF_KEY_MAX = 100;
/** The `historyId` of what holds for every key of the wallet. */
export const WHOLE_WALLET = '00000000-0000-0000-0000-000000000000';

/** A payment that is about to be decided: whom it pays. */
export interface PayeeQuery {
  readonly walletId: string;
  readonly keyId: string;
  /** That of a key with limits, else {@link WHOLE_WALLET}. */
  readonly historyId: string;
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
  /** Who may pay it: {@link WHOLE_WALLET}, or the keys of one history. */
  readonly historyId: string;
}

/** The payees that one wallet has for one merchant, as the keys of one history see them, none included. */
export interface MerchantPayees {
  readonly walletId: string;
  readonly historyId: string;
  readonly merchant: string;
  readonly accounts: readonly MerchantAccount[];
  /** How many payees the wallet, or the history, has in all; read only where this merchant has none. */
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
