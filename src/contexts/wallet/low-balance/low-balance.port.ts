import type { Kobo } from '../../../kernel/money.js';
import type { Tx } from '../../../platform/database/tx.js';

/** Balances below which `wallet.low_balance` is sent. */
export abstract class LowBalanceThresholds {
  /** In kobo, by wallet id; wallets without a threshold are left out. Part of a payment's transaction. */
  abstract ofMany(walletIds: readonly string[], tx: Tx): Promise<ReadonlyMap<string, Kobo>>;
}
