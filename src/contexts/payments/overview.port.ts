import type { BlockReason } from '../../kernel/errors.js';
import type { OwnedWallet } from '../wallet/wallet.port.js';

export type NewsOutcome = 'paid' | 'failed' | 'blocked';

/** By time of request. */
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
  /** Later than asked for with too many attempts. */
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
  /** Unpaid in the 28 days before. */
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
  /** Three times the mean of the 28 days before. */
  abstract unusualDays(walletIds: readonly string[]): Promise<readonly UnusualDay[]>;
  /** From 80 % on, the fullest first. */
  abstract usedLimits(wallets: readonly OwnedWallet[]): Promise<readonly UsedLimit[]>;
  /** Not refunded yet, newest first. */
  abstract returned(walletIds: readonly string[]): Promise<readonly ReturnedPayout[]>;
}
