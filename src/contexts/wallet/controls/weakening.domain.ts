import { merchantIdentity } from '../../../kernel/text.js';
import type { SpendingRules } from '../wallet.domain.js';
import type { WalletControls } from '../wallet.events.js';
import { areLoosened } from './controls.domain.js';

export type Safeguards = SpendingRules & { readonly controls: WalletControls | null };

/** Lower is stricter. */
const LOOSENESS: readonly ((of: SpendingRules) => number)[] = [
  ({ spendLimitPerTx }) => spendLimitPerTx,
  ({ spendLimitPeriod }) => spendLimitPeriod,
  // A longer window is stricter.
  ({ periodWindowDays }) => -periodWindowDays,
  ({ expiry }) => expiry.getTime(),
];

/** True if looser in any respect, whatever else is stricter. */
export function isWeakened(before: Safeguards, after: Safeguards): boolean {
  return (
    LOOSENESS.some((of) => of(after) > of(before)) ||
    areLoosened(before.controls, after.controls) ||
    allowsMoreMerchants(before, after)
  );
}

function allowsMoreMerchants(before: SpendingRules, after: SpendingRules): boolean {
  if (!before.useAllowlist) return false;
  if (!after.useAllowlist) return true;
  const allowed = new Set(before.merchantAllowlist.map(merchantIdentity));
  return after.merchantAllowlist.some((entry) => !allowed.has(merchantIdentity(entry)));
}
