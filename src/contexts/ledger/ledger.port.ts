import type { Queryable } from '../../platform/database/tx.js';
import type { KeyLabel } from '../wallet/wallet.port.js';

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

  /** Wallets with an entry that does not follow. */
  abstract brokenChains(ranges: readonly EntryRange[], from: Queryable): Promise<BrokenBook[]>;

  /** In kobo, by payment. */
  abstract refundsOf(
    transactionIds: readonly string[],
    from: Queryable,
  ): Promise<ReadonlyMap<string, number>>;
}

export interface LedgerPeriod extends EntryRange {
  /** In kobo. */
  readonly opening: number;
  readonly closing: number;
}

/** May exceed exact numbers. */
export interface LedgerSums {
  readonly received: bigint;
  readonly paidOut: bigint;
  readonly refunded: bigint;
}

export const LEDGER_CAUSES = ['payment', 'withdrawal', 'transfer', 'bank-transfer'] as const;
export type LedgerCause = (typeof LEDGER_CAUSES)[number];

export interface LedgerLine {
  readonly id: string;
  readonly seq: number;
  readonly transactionId: string | null;
  readonly walletId: string;
  readonly walletName: string;
  readonly type: 'topup' | 'debit' | 'refund';
  readonly cause: LedgerCause;
  /** In kobo. */
  readonly amount: number;
  readonly balanceAfter: number;
  readonly reference: string;
  /** NIP's. */
  readonly sessionId: string | null;
  readonly narration: string | null;
  readonly purpose: string | null;
  readonly reason: string | null;
  readonly counterparty: string | null;
  readonly accountNumber: string | null;
  readonly bankCode: string | null;
  readonly key: KeyLabel | null;
  readonly createdAt: Date;
}

export abstract class LedgerPeriods {
  /** `to` is exclusive. All of one moment. */
  abstract between(walletIds: readonly string[], from: Date, to: Date): Promise<readonly LedgerPeriod[]>;

  /** Without empty ones. */
  abstract sums(ranges: readonly EntryRange[]): Promise<ReadonlyMap<string, LedgerSums>>;

  /** Oldest first. */
  abstract lines(range: EntryRange, limit: number): Promise<readonly LedgerLine[]>;
}
