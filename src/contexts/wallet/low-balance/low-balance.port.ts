import type { Kobo } from '../../../kernel/money.js';
import type { Tx } from '../../../platform/database/tx.js';

export interface BalanceStanding {
  readonly walletId: string;
  readonly accountId: string;
  readonly name: string;
  readonly balance: Kobo;
  readonly threshold: Kobo;
}

/** Balances below which `wallet.low_balance` is sent. */
export abstract class LowBalanceThresholds {
  /** Leaves out wallets without a threshold. */
  abstract standingsOf(walletIds: readonly string[]): Promise<readonly BalanceStanding[]>;

  abstract ofMany(walletIds: readonly string[], tx: Tx): Promise<ReadonlyMap<string, Kobo>>;
}
