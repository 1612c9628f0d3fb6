import type { Queryable } from '../../platform/database/tx.js';

export interface BookedBalance {
  readonly walletId: string;
  /** Kobo. */
  readonly balance: number;
  readonly entryCount: number;
}

/** Entries with `after` < `seq` <= `upTo`. */
export interface EntryRange {
  readonly walletId: string;
  readonly after: number;
  readonly upTo: number;
}

export interface BrokenBook {
  readonly walletId: string;
  readonly description: string;
}

export abstract class LedgerBooks {
  /** Wallets whose last entry shows another balance or number. */
  abstract balanceMismatches(wallets: readonly BookedBalance[], from: Queryable): Promise<BrokenBook[]>;

  /** Wallets with an entry that does not follow from the one before. */
  abstract brokenChains(ranges: readonly EntryRange[], from: Queryable): Promise<BrokenBook[]>;
}
