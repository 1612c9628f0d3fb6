import type { Tx } from '../../../platform/database/tx.js';
import type { WalletControlsChanged } from '../../wallet/wallet.events.js';
import type { LockedWallet } from '../../wallet/wallet.port.js';
import type { Transaction } from '../payments.port.js';
import type { DecidedAttempt } from '../spending-wallet.domain.js';

/** A payment that was refunded, denied or not approved in time. */
export interface ReleasedPayment {
  readonly walletId: string;
  readonly transactionId: string;
}

/** A pending payment that its owner approved `at` that time. */
export interface OwnerApproval {
  readonly transaction: Transaction;
  readonly at: Date;
}

/** Written in the payments' transaction, under the wallets' locks. */
export interface RuleRecords {
  /** Stores what later decisions need of these attempts. */
  record(attempts: readonly DecidedAttempt[], tx: Tx): void | Promise<void>;

  /** Releases payments, once each. */
  release?(payments: readonly ReleasedPayment[], tx: Tx): void;

  /** Stores what an approval adds to the record of its request. */
  approve?(wallet: LockedWallet, approvals: readonly OwnerApproval[], tx: Tx): void | Promise<void>;

  /** Backfills earlier payments when the owner turns the rule on. */
  changeControls?(change: WalletControlsChanged, tx: Tx): void | Promise<void>;
}
