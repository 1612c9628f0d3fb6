import { merchantIdentity } from '../../../kernel/text.js';
import type { SpendingRules } from '../wallet.domain.js';
import type { CoolingOff, PayeePolicy, WalletControls } from '../wallet.port.js';

export type Safeguards = SpendingRules & { readonly controls: WalletControls | null };

const STRICTNESS: Readonly<Record<PayeePolicy, number>> = { off: 0, warn: 1, first_use: 2, strict: 3 };

/** Between 0 (off) and one minute: payments can still ask for the guard. */
const GUARD_UNCHOSEN = 0.5;

/** Lower is stricter. */
const LOOSENESS: readonly ((of: Safeguards) => number)[] = [
  ({ spendLimitPerTx }) => spendLimitPerTx,
  ({ spendLimitPeriod }) => spendLimitPeriod,
  // A longer window is stricter.
  ({ periodWindowDays }) => -periodWindowDays,
  ({ expiry }) => expiry.getTime(),
  ({ controls }) => controls?.approvalThreshold ?? Infinity,
  ({ controls }) => -(controls?.duplicateGuardMinutes ?? GUARD_UNCHOSEN),
  ({ controls }) => -STRICTNESS[controls?.payeePolicy ?? 'off'],
  ({ controls }) => (controls?.verifyRecipient ? 0 : 1),
  ...coolingOff('newKeyHours', 'newKeyCap'),
  ...coolingOff('newPayeeHours', 'newPayeeCap'),
];

function coolingOff(
  hours: 'newKeyHours' | 'newPayeeHours',
  cap: 'newKeyCap' | 'newPayeeCap',
): readonly ((of: Safeguards) => number)[] {
  const of = (name: keyof CoolingOff, otherwise: number) => (safeguards: Safeguards) =>
    safeguards.controls?.coolingOff?.[name] ?? otherwise;
  return [(safeguards) => -of(hours, 0)(safeguards), of(cap, Infinity)];
}

/**
 * True if the agent may spend more, longer, or at more recipients in any respect, whatever else is stricter.
 */
export function isWeakened(before: Safeguards, after: Safeguards): boolean {
  return LOOSENESS.some((of) => of(after) > of(before)) || allowsMoreMerchants(before, after);
}

function allowsMoreMerchants(before: SpendingRules, after: SpendingRules): boolean {
  if (!before.useAllowlist) return false;
  if (!after.useAllowlist) return true;
  const allowed = new Set(before.merchantAllowlist.map(merchantIdentity));
  return after.merchantAllowlist.some((entry) => !allowed.has(merchantIdentity(entry)));
}
