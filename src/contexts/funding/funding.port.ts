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

/** An account that the bank has issued for a wallet that is about to be made. */
export type IssuedVirtualAccount = Omit<VirtualAccount, 'createdAt'>;

/** The virtual accounts, one per wallet. They are put on record when `wallet.created` tells of the wallet. */
export abstract class VirtualAccounts {
  /** Has the bank issue the account of a wallet that is about to be made. Throws `BANK_UNAVAILABLE`. */
  abstract issue(wallet: { id: string; name: string; ownerEmail: string }): Promise<IssuedVirtualAccount>;

  /**
   * What a failure to keep an issued account is answered with: an account number that another wallet has is a case for
   * the operator, and `BANK_UNAVAILABLE`. Every other failure is answered as it is.
   */
  abstract refusalOf(error: unknown, issued: IssuedVirtualAccount): Promise<unknown>;

  /** The accounts of these wallets. */
  abstract of(walletIds: readonly string[]): Promise<readonly VirtualAccount[]>;
}
