import { randomBytes } from 'node:crypto';
import { type FieldError, AppError } from '../../kernel/errors.js';
import type { Kobo } from '../../kernel/money.js';
import { merchantIdentity } from '../../kernel/text.js';
import { hashApiKey, keyHashBytes } from './wallet.port.js';

export interface SpendingRules {
  readonly spendLimitPerTx: Kobo;
  readonly spendLimitPeriod: Kobo;
  readonly periodWindowDays: number;
  readonly expiry: Date;
  readonly useAllowlist: boolean;
  /** Trimmed; the first spelling of each merchant. */
  readonly merchantAllowlist: readonly string[];
}

/** Drops repeated merchants; empty if no allowlist is used. */
export function allowlist(useAllowlist: boolean, entries: readonly string[]): string[] {
  if (!useAllowlist) return [];
  const byIdentity = new Map<string, string>();
  for (const entry of entries) {
    const identity = merchantIdentity(entry);
    if (!byIdentity.has(identity)) byIdentity.set(identity, entry);
  }
  return [...byIdentity.values()];
}

/** Throws the first broken rule, in the contract's order. */
export function assertValid(rules: SpendingRules, now: Date): void {
  const broken = (
    code: 'EXPIRY_IN_PAST' | 'ALLOWLIST_REQUIRED' | 'PERIOD_LIMIT_TOO_LOW',
    error: FieldError,
  ) => new AppError(code, `${error.field} ${error.message}`, { fields: [error] });
  if (rules.expiry <= now)
    throw broken('EXPIRY_IN_PAST', { field: 'expiry', message: 'must lie in the future' });
  if (rules.useAllowlist && rules.merchantAllowlist.length === 0) {
    throw broken('ALLOWLIST_REQUIRED', {
      field: 'merchantAllowlist',
      message: 'must name at least one merchant when useAllowlist is true',
    });
  }
  if (rules.spendLimitPeriod < rules.spendLimitPerTx) {
    throw broken('PERIOD_LIMIT_TOO_LOW', {
      field: 'spendLimitPeriod',
      message: 'must be at least spendLimitPerTx',
    });
  }
}

/** Wallets of a user, closed ones included, and allowlist entries in all of them. */
export const WALLETS_MAX = 1_000;
const ALLOWLIST_ENTRIES_IN_ALL_MAX = 20_000;

/** Throws `WALLET_LIMIT_REACHED`. */
export function assertRoom(
  holdings: { readonly wallets: number; readonly allowlistEntries: number },
  more: { readonly wallets: number; readonly allowlistEntries: number },
): void {
  if (holdings.wallets + more.wallets > WALLETS_MAX) {
    throw new AppError('WALLET_LIMIT_REACHED', `There can be ${WALLETS_MAX} wallets at most.`);
  }
  if (
    more.allowlistEntries > 0 &&
    holdings.allowlistEntries + more.allowlistEntries > ALLOWLIST_ENTRIES_IN_ALL_MAX
  ) {
    throw new AppError(
      'WALLET_LIMIT_REACHED',
      `The allowlists of all your wallets can have ${ALLOWLIST_ENTRIES_IN_ALL_MAX} entries in all; ` +
        `they have ${holdings.allowlistEntries}.`,
    );
  }
}

const KEY_PREFIX_LENGTH = 16;

/** 256 random bits; only the hash and the prefix are stored. */
export function newApiKey(): { fullKey: string; keyPrefix: string; hash: Buffer } {
  const fullKey = `apw_live_${randomBytes(32).toString('base64url')}`;
  return { fullKey, keyPrefix: fullKey.slice(0, KEY_PREFIX_LENGTH), hash: keyHashBytes(hashApiKey(fullKey)) };
}

export const NEVER_SUSPENDED = {
  status: 'ACTIVE',
  suspendedAllAt: null,
  suspendedByOperator: false,
} as const;
