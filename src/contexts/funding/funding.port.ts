import type { Tx } from '../../platform/database/database.js';

/** The bank account that money for a wallet is sent to. */
export interface VirtualAccount {
  readonly id: string;
  readonly walletId: string;
  readonly accountNumber: string;
  readonly accountName: string;
  readonly bankName: string;
  readonly bankCode: string;
  readonly currency: 'NGN';
  readonly providerRef: string;
  readonly createdAt: Date;
}

/** An account the bank has issued and that is not on our books yet. */
export type NewVirtualAccount = Omit<VirtualAccount, 'id' | 'createdAt' | 'currency'>;

/** The virtual accounts, one per wallet. */
export abstract class VirtualAccounts {
  /** Has the bank issue the account of a wallet that is about to be made. Throws `BANK_UNAVAILABLE`. */
  abstract issue(wallet: { id: string; name: string; ownerEmail: string }): Promise<NewVirtualAccount>;

  /** Puts an issued account on our books, in the transaction that makes the wallet. */
  abstract add(account: NewVirtualAccount, tx: Tx): Promise<VirtualAccount>;

  /** The accounts of these wallets. */
  abstract of(walletIds: readonly string[]): Promise<readonly VirtualAccount[]>;
}
