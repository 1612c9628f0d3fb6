import type { Tx } from '../../../platform/database/tx.js';
import type { Kobo } from '../../../kernel/money.js';

/** Payees of a wallet, registered and remembered. */
export const PAYEES_MAX = 1_000;
/** Payees of a limited key and its predecessors. */
export const PAYEES_OF_KEY_MAX = 100;
/** `historyId` of payees for every key. */
export const WHOLE_WALLET = '00000000-0000-0000-0000-000000000000';

export interface PayeeQuery {
  readonly walletId: string;
  readonly keyId: string;
  /** A limited key's history, else {@link WHOLE_WALLET}. */
  readonly historyId: string;
  /** Normalised name. */
  readonly merchant: string;
  readonly recipientAccountNo: string;
  readonly recipientBankCode: string;
}

export interface MerchantAccount {
  readonly accountNumber: string;
  readonly bankCode: string;
  /** False: the account first paid. */
  readonly isRegistered: boolean;
  readonly isPaid: boolean;
  /** {@link WHOLE_WALLET}, or one history. */
  readonly historyId: string;
}

/** A merchant's payees as a history's keys see them. */
export interface MerchantPayees {
  readonly walletId: string;
  readonly historyId: string;
  readonly merchant: string;
  readonly accounts: readonly MerchantAccount[];
  /** Payees of the wallet or history; read only if this merchant has none. */
  readonly payeeCount: number | null;
}

export interface AccountAge {
  readonly walletId: string;
  readonly accountNumber: string;
  readonly bankCode: string;
  /** First payment or registration; null: neither. */
  readonly since: Date | null;
  /** Not refunded, in kobo. */
  readonly coolingSpent: Kobo;
}

export interface KeyAge {
  readonly keyId: string;
  /** Creation, or that of the key whose age it inherited. */
  readonly since: Date;
  /** Not refunded, in kobo. */
  readonly coolingSpent: Kobo;
}

/** Inputs of the payee and cooling-off rules, read under the locks. */
export interface PayeeReadings {
  readonly merchants: readonly MerchantPayees[];
  readonly accounts: readonly AccountAge[];
  readonly keys: readonly KeyAge[];
}

export abstract class Payees {
  /** One round trip. */
  abstract read(queries: readonly PayeeQuery[], tx: Tx): Promise<PayeeReadings>;
}
