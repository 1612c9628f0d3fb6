import type { Kobo } from '../../kernel/money.js';
import type { Tx } from '../../platform/database/tx.js';
import type { WalletStatus } from './wallet.events.js';

export interface OperatedWallet {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly status: WalletStatus;
  readonly suspendedByOperator: boolean;
  readonly balance: Kobo;
  readonly held: Kobo;
  readonly createdAt: Date;
}

export abstract class OperatedWallets {
  /** By their ids or their accounts' ids; newest first. */
  abstract find(ids: readonly string[], limit: number): Promise<readonly OperatedWallet[]>;

  /** By a virtual account's number, or the reference of a payment, payout or ledger entry. */
  abstract idsByReference(text: string, limit: number): Promise<readonly string[]>;

  /** Those of an account until `tx` ends. */
  abstract lockAccount(accountId: string, tx: Tx): Promise<readonly OperatedWallet[]>;

  /** Throws `WALLET_NOT_FOUND`. */
  abstract lock(walletId: string, tx: Tx): Promise<OperatedWallet>;

  /** Locked ones: no money leaves them until {@link release}. Closed ones stay closed. */
  abstract suspend(wallets: readonly OperatedWallet[], operatorId: string, tx: Tx): Promise<void>;

  /** They stay suspended until their owner resumes them. */
  abstract release(wallets: readonly OperatedWallet[], operatorId: string, tx: Tx): Promise<void>;
}
