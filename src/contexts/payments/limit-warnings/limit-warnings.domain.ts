import type { KeyLimits, KeyUsage } from '../../wallet/wallet.port.js';

/** A budget of which 80 or 100 % is used. Amounts in kobo. */
export interface LimitReached {
  /** Null: the wallet's own limit. */
  readonly keyId: string | null;
  readonly budget: 'period' | 'total';
  readonly percent: 80 | 100;
  readonly limit: number;
  readonly spent: number;
  /** Null: a total, which has no window. */
  readonly days: number | null;
}

export interface WalletLimitReached extends LimitReached {
  readonly walletId: string;
  readonly at: Date;
}

/** Share that a spend from `before` to `after` reaches, in percent; null if neither. */
export function percentReached(limit: number, before: number, after: number): 80 | 100 | null {
  if (before < limit && after >= limit) return 100;
  // Rounded up, without a product that could exceed exact numbers.
  const most = limit - Math.floor(limit / 5);
  return before < most && after >= most ? 80 : null;
}

export function reached(
  budget: Pick<LimitReached, 'keyId' | 'budget' | 'limit' | 'days'>,
  before: number,
  spent: number,
): LimitReached[] {
  const percent = percentReached(budget.limit, before, spent);
  return percent === null ? [] : [{ ...budget, percent, spent }];
}

export function reachedByKey(
  keyId: string,
  { spendLimitPeriod, periodWindowDays = 0, totalCap }: KeyLimits,
  before: KeyUsage,
  after: KeyUsage,
): LimitReached[] {
  return [
    ...(spendLimitPeriod === undefined
      ? []
      : reached(
          { keyId, budget: 'period', limit: spendLimitPeriod, days: periodWindowDays },
          before.spentInPeriod,
          after.spentInPeriod,
        )),
    ...(totalCap === undefined
      ? []
      : reached({ keyId, budget: 'total', limit: totalCap, days: null }, before.spent, after.spent)),
  ];
}
