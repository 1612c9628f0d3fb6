import { merchantIdentity } from '../../../kernel/text.js';
import type { KeyWallet } from '../../wallet/wallet.port.js';

/** What the holder of a key may do: within the limits of the wallet, and of the key if it has some. */
export type OwnRules = Pick<
  KeyWallet & { readonly spentThisPeriod: number; readonly remainingAllowance: number },
  | 'spendLimitPerTx'
  | 'spendLimitPeriod'
  | 'periodWindowDays'
  | 'spentThisPeriod'
  | 'remainingAllowance'
  | 'expiry'
  | 'expired'
  | 'useAllowlist'
  | 'merchantAllowlist'
>;

/** Limits that a key has and its wallet has not. */
interface KeyRules {
  readonly totalCap?: number;
  readonly maxPayments?: number;
  readonly paymentsLeft?: number;
  readonly payee?: { readonly accountNumber: string; readonly bankCode: string };
}

/** The narrower of the wallet's limits and of the key's, each. */
export function ownRules(
  wallet: OwnRules & Pick<KeyWallet, 'limited'>,
): OwnRules & { readonly ofKey: KeyRules } {
  const { limited } = wallet;
  if (!limited) {
    return { ...wallet, remainingAllowance: Math.max(0, wallet.remainingAllowance), ofKey: {} };
  }
  const { limits, usage, now } = limited;
  const { spendLimitPerTx, spendLimitPeriod, periodWindowDays, totalCap, maxPayments, payee } = limits;
  const paymentsLeft = maxPayments === undefined ? undefined : Math.max(0, maxPayments - usage.payments);
  const left = Math.min(
    wallet.remainingAllowance,
    (spendLimitPeriod ?? Infinity) - usage.spentInPeriod,
    (totalCap ?? Infinity) - usage.spent,
    paymentsLeft === 0 ? 0 : Infinity,
  );
  const expiry = limits.expiry === undefined ? wallet.expiry : new Date(limits.expiry);
  const period =
    spendLimitPeriod !== undefined &&
    periodWindowDays !== undefined &&
    spendLimitPeriod <= wallet.spendLimitPeriod
      ? { spendLimitPeriod, periodWindowDays, spentThisPeriod: usage.spentInPeriod }
      : {};
  return {
    ...wallet,
    ...period,
    ...(spendLimitPerTx !== undefined && spendLimitPerTx < wallet.spendLimitPerTx && { spendLimitPerTx }),
    // A limit that was lowered below what is spent leaves nothing.
    remainingAllowance: Math.max(0, left),
    expiry: expiry < wallet.expiry ? expiry : wallet.expiry,
    expired: wallet.expired || expiry <= now,
    ...(limits.allowedMerchants && {
      useAllowlist: true,
      merchantAllowlist: allowedBy(wallet, limits.allowedMerchants),
    }),
    ofKey: {
      ...(totalCap !== undefined && { totalCap }),
      ...(maxPayments !== undefined && { maxPayments }),
      ...(paymentsLeft !== undefined && { paymentsLeft }),
      ...(payee && { payee }),
    },
  };
}

/** Those of these merchants that the wallet's own list has too, if it uses one. */
function allowedBy(
  { useAllowlist, merchantAllowlist }: Pick<OwnRules, 'useAllowlist' | 'merchantAllowlist'>,
  merchants: readonly string[],
): readonly string[] {
  if (!useAllowlist) return merchants;
  const allowed = new Set(merchantAllowlist.map(merchantIdentity));
  return merchants.filter((merchant) => allowed.has(merchantIdentity(merchant)));
}
