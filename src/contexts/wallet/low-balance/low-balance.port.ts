import type { Kobo } from '../../../kernel/money.js';
import type { Tx } from '../../../platform/database/tx.js';

/** Balances below which `wallet.low_balance` is sent. */
export abstract class LowBalanceThresholds {
  /** In kobo, by wallet id; those without are left out. */
  abstract ofMany(walletIds: readonly string[], tx: Tx): Promise<ReadonlyMap<string, Kobo>>;
}
