import { plainNaira } from '../money/money.js';
import { pluralize } from '../text/pluralize.js';

/* What owners can switch on beyond the limits, in words. */

const HOUR = 60;

/** Minutes to choose from; undefined: as long as its owner chose nothing. */
export const DUPLICATE_GUARDS = [undefined, 0, 5, 10, 30, HOUR, 24 * HOUR] as const;

export function duplicateGuardInWords(minutes: number | undefined): string {
  if (minutes === undefined) return 'For MCP clients only';
  if (minutes === 0) return 'Off';
  return minutes % HOUR === 0
    ? `Within ${minutes === HOUR ? 'an hour' : `${minutes / HOUR} hours`}`
    : `Within ${minutes} minutes`;
}

/** Minutes. */
export const APPROVAL_TTLS = [undefined, HOUR, 4 * HOUR, 3 * 24 * HOUR, 7 * 24 * HOUR] as const;

export function approvalTtlInWords(minutes: number | undefined): string {
  if (minutes === undefined) return '1 day';
  if (minutes % (24 * HOUR) === 0) return pluralize(minutes / (24 * HOUR), 'day');
  return minutes % HOUR === 0 ? pluralize(minutes / HOUR, 'hour') : pluralize(minutes, 'minute');
}

/** Which accounts a merchant may be paid at. */
export const PAYEE_POLICIES = ['off', 'warn', 'first_use', 'strict'] as const;
export type PayeePolicy = (typeof PAYEE_POLICIES)[number];

const POLICY_WORDS: Readonly<Record<PayeePolicy, string>> = {
  off: 'Any account',
  warn: 'Any account, a new one is noted',
  first_use: 'The account first paid',
  strict: 'Only payees you added',
};

export function payeePolicyInWords(policy: PayeePolicy | undefined): string {
  return POLICY_WORDS[policy ?? 'off'];
}

/** The Central Bank's limit for newly activated apps. */
export const CENTRAL_BANK = { cap: 2_000_000, hours: 24 } as const;

/** `₦20,000 in the first 24 hours`. */
export function coolingOffInWords(cap: number | undefined, hours: number | undefined): string {
  if (cap === undefined || hours === undefined) return 'None';
  return `${plainNaira(cap)} in the first ${hours === 1 ? 'hour' : `${hours} hours`}`;
}
