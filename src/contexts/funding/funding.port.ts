export interface WalletVirtualAccount {
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

export type IssuedVirtualAccount = Omit<WalletVirtualAccount, 'createdAt'>;

export interface NewAccount {
  readonly id: string;
  readonly name: string;
  readonly ownerEmail: string;
  readonly businessName: string | null;
}

/** One per wallet; stored on `wallet.created`. */
export abstract class VirtualAccounts {
  /** Throws `BANK_UNAVAILABLE`. */
  abstract issue(wallet: NewAccount): Promise<IssuedVirtualAccount>;

  /** Turns a taken account number into a case and `BANK_UNAVAILABLE`; other errors pass. */
  abstract refusalOf(error: unknown, issued: IssuedVirtualAccount): Promise<unknown>;

  abstract of(walletIds: readonly string[]): Promise<readonly WalletVirtualAccount[]>;
}
