import type { KeyLabel } from './wallet.port.js';

export interface WalletSought {
  readonly accountId: string;
  /** Lower case. */
  readonly text: string;
  readonly limit: number;
}

export interface NamedWallet {
  readonly id: string;
  readonly name: string;
  readonly status: string;
}

export interface NamedKey extends KeyLabel {
  readonly walletId: string;
  readonly isRevoked: boolean;
}

export interface NamedPayee {
  readonly id: string;
  readonly walletId: string;
  readonly merchantName: string;
  readonly accountName: string | null;
  readonly accountNumber: string;
  readonly bankCode: string;
}

/** Newest first. */
export abstract class WalletSearch {
  /** By part of the name, or id. */
  abstract wallets(sought: WalletSought): Promise<readonly NamedWallet[]>;
  /** By part of name, prefix or purpose, or id; revoked too. */
  abstract keys(sought: WalletSought): Promise<readonly NamedKey[]>;
  /** By part of merchant or account name, or account number. */
  abstract payees(sought: WalletSought): Promise<readonly NamedPayee[]>;
}
