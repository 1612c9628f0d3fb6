import { merchantIdentity } from '../../../kernel/text.js';
import type { KeyWallet } from '../../wallet/wallet.port.js';

/** Rules a key's holder must keep: the narrower of wallet and key. */
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

interface KeyRules {
  readonly totalCap?: number;
  readonly maxPayments?: number;
  readonly paymentsLeft?: number;
  readonly payee?: { readonly accountNumber: string; readonly bankCode: string };
}

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
    // A limit lowered below the spend leaves nothing.
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

function allowedBy(
  { useAllowlist, merchantAllowlist }: Pick<OwnRules, 'useAllowlist' | 'merchantAllowlist'>,
  merchants: readonly string[],
): readonly string[] {
  if (!useAllowlist) return merchants;
  const allowed = new Set(merchantAllowlist.map(merchantIdentity));
  return merchants.filter((merchant) => allowed.has(merchantIdentity(merchant)));
}
