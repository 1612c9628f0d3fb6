import type { BlockReason } from '../../kernel/errors.js';

export type NewsOutcome = 'paid' | 'failed' | 'blocked';

/** By time of request; in kobo. Paid includes what is on its way. */
export interface OutcomeSum {
  readonly outcome: NewsOutcome;
  readonly count: number;
  readonly amount: number;
}

export interface Repeats extends OutcomeSum {
  readonly walletId: string;
  readonly keyId: string | null;
  readonly merchantName: string;
  readonly blockReason: BlockReason | null;
  readonly lastId: string;
  readonly lastAt: Date;
}

export interface PeriodNews {
  /** May be later than asked for: at most {@link NEWS_ATTEMPTS_MAX} attempts are read. */
  readonly from: Date;
  readonly outcomes: readonly OutcomeSum[];
  readonly reasons: readonly (Omit<OutcomeSum, 'outcome'> & { readonly blockReason: BlockReason })[];
  readonly wallets: readonly (OutcomeSum & { readonly walletId: string })[];
  readonly keys: readonly (OutcomeSum & { readonly walletId: string; readonly keyId: string })[];
  readonly repeats: readonly Repeats[];
  readonly bursts: readonly {
    readonly walletId: string;
    readonly keyId: string | null;
    readonly count: number;
    readonly lastAt: Date;
  }[];
  /** Not paid among the attempts of the 28 days before. */
  readonly newAccounts: readonly Repeats[];
}

export interface UnusualDay {
  readonly walletId: string;
  readonly spent: number;
  readonly usual: number;
}

export interface UsedLimit {
  readonly walletId: string;
  readonly spent: number;
  readonly held: number;
  readonly limit: number;
  readonly days: number;
}

export interface ReturnedPayout {
  readonly id: string;
  readonly walletId: string;
  readonly amount: number;
  readonly merchantName: string;
  readonly createdAt: Date;
}

export const NEWS_ATTEMPTS_MAX = 50_000;

export abstract class PaymentsOverview {
  abstract newsOf(walletIds: readonly string[], from: Date, to: Date): Promise<PeriodNews>;
  /** Spent in the last 24 hours at least three times the mean of the 28 days before. */
  abstract unusualDays(walletIds: readonly string[]): Promise<readonly UnusualDay[]>;
  /** Wallets that used 80 % or more, the fullest first. */
  abstract usedLimits(accountId: string): Promise<readonly UsedLimit[]>;
  /** Not refunded yet, newest first. */
  abstract returned(walletIds: readonly string[]): Promise<readonly ReturnedPayout[]>;
}
