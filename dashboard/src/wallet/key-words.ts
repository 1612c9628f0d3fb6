import type { WalletKey } from '../api/types.js';
import { grouped, plainNaira } from '../money/money.js';
import { pluralize } from '../text/pluralize.js';

/** What a key is called; the one that came with the wallet has no name until it is given one. */
export function nameOfKey({ name }: Pick<WalletKey, 'name'>): string {
  return name ?? 'First key';
}

/** The limits of a key, each in a few words, with what is left of those that payments use up. */
export function limitsInWords(
  { limits, left, secondApprovalAbove }: Pick<WalletKey, 'limits' | 'left' | 'secondApprovalAbove'>,
  bankName: (code: string) => string,
): string[] {
  const second =
    secondApprovalAbove === undefined ? [] : [`two members above ${plainNaira(secondApprovalAbove)}`];
  if (!limits) return second;
  const { spendLimitPerTx, spendLimitPeriod, periodWindowDays, totalCap, maxPayments } = limits;
  const rest = (amount: number | undefined) => (amount === undefined ? '' : `, ${plainNaira(amount)} left`);
  return [
    spendLimitPerTx !== undefined && `${plainNaira(spendLimitPerTx)} per payment`,
    spendLimitPeriod !== undefined &&
      `${plainNaira(spendLimitPeriod)} in ${pluralize(periodWindowDays ?? 0, 'day')}${rest(left?.spendLimitPeriod)}`,
    totalCap !== undefined && `${plainNaira(totalCap)} in all${rest(left?.totalCap)}`,
    maxPayments !== undefined &&
      `${pluralize(maxPayments, 'payment')}${left?.maxPayments === undefined ? '' : `, ${grouped(left.maxPayments)} left`}`,
    limits.allowedMerchantsCount !== undefined &&
      `only at ${pluralize(limits.allowedMerchantsCount, 'merchant')}`,
    limits.allowedMerchants && `only at ${limits.allowedMerchants.join(', ')}`,
    limits.payee && `only to ${bankName(limits.payee.bankCode)} ${limits.payee.accountNumber}`,
    ...second,
  ].filter((words) => typeof words === 'string');
}

export function requiredInWords({
  requireRunId,
  requireRationale,
}: Pick<WalletKey, 'requireRunId' | 'requireRationale'>): string | null {
  const required = [requireRunId && 'a run ID', requireRationale && 'a rationale'].filter(Boolean);
  return required.length > 0 ? `requires ${required.join(' and ')}` : null;
}
