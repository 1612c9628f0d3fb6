import { type FieldError, validationError } from '../../../kernel/errors.js';
import { type Kobo, kobo } from '../../../kernel/money.js';
import { merchantIdentity } from '../../../kernel/text.js';
import { allowlist, type SpendingRules } from '../wallet.domain.js';
import type { KeyLimits, KeyUsage } from '../wallet.port.js';

/** Null means absent. */
export interface KeyLimitsRequest {
  readonly spendLimitPerTx?: Kobo | null;
  readonly spendLimitPeriod?: Kobo | null;
  /** Absent: the wallet's. */
  readonly periodWindowDays?: number | null;
  readonly totalCap?: Kobo | null;
  readonly maxPayments?: number | null;
  readonly allowedMerchants?: readonly string[] | null;
  readonly payee?: { readonly accountNumber: string; readonly bankCode: string } | null;
  readonly expiry?: Date | null;
}

/**
 * Limits as stored; null if none. Throws `VALIDATION_ERROR` with an entry for each field wider than the
 * wallet at `now`.
 */
export function narrowed(
  request: KeyLimitsRequest | null,
  wallet: SpendingRules,
  now: Date,
): KeyLimits | null {
  if (!request) return null;
  const { spendLimitPerTx, spendLimitPeriod, periodWindowDays, allowedMerchants, expiry } = request;
  const errors: FieldError[] = [];
  const addIssue = (field: keyof KeyLimits, message: string) =>
    errors.push({ field: `limits.${field}`, message });
  if (spendLimitPerTx != null && spendLimitPerTx > wallet.spendLimitPerTx) {
    addIssue('spendLimitPerTx', `must be at most that of the wallet (${wallet.spendLimitPerTx} kobo)`);
  }
  if (spendLimitPeriod != null && spendLimitPeriod > wallet.spendLimitPeriod) {
    addIssue('spendLimitPeriod', `must be at most that of the wallet (${wallet.spendLimitPeriod} kobo)`);
  }
  if (periodWindowDays != null && spendLimitPeriod == null) {
    addIssue('periodWindowDays', 'is the window of spendLimitPeriod, which is missing');
  }
  if (allowedMerchants?.length === 0) addIssue('allowedMerchants', 'must name at least one merchant');
  if (allowedMerchants && wallet.useAllowlist) {
    const allowed = new Set(wallet.merchantAllowlist.map(merchantIdentity));
    const more = allowedMerchants.find((each) => !allowed.has(merchantIdentity(each)));
    if (more !== undefined) addIssue('allowedMerchants', `must be on the wallet's allowlist; ${more} is not`);
  }
  if (expiry != null && expiry <= now) addIssue('expiry', 'must lie in the future');
  if (expiry != null && expiry > wallet.expiry) {
    addIssue('expiry', `must not lie after that of the wallet (${wallet.expiry.toISOString()})`);
  }
  if (errors.length > 0) throw validationError(...errors);
  const limits = Object.entries({
    spendLimitPerTx,
    spendLimitPeriod,
    periodWindowDays: spendLimitPeriod == null ? null : (periodWindowDays ?? wallet.periodWindowDays),
    totalCap: request.totalCap,
    maxPayments: request.maxPayments,
    allowedMerchants: allowedMerchants && allowlist(true, allowedMerchants),
    payee: request.payee && { ...request.payee },
    expiry: expiry?.toISOString(),
  }).filter(([, limit]) => limit != null);
  return limits.length > 0 ? Object.fromEntries(limits) : null;
}

export interface KeyLineage {
  readonly id: string;
  readonly walletId: string;
  readonly limits: object | null;
  readonly lineage?: readonly string[] | null;
}

/** Scopes of known idempotency keys, the key's own first. Keys without limits share the wallet's. */
export function lineageOf({ id, walletId, limits, lineage }: KeyLineage): readonly string[] {
  return lineage ?? [limits ? id : walletId];
}

/**
 * Lets a new key know the idempotency keys of those it replaces. A limited key that replaces one limited key
 * continues its scope and history. Null: {@link lineageOf}.
 */
export function inheritedLineage(
  key: Omit<KeyLineage, 'lineage'>,
  replaced: readonly KeyLineage[],
): readonly string[] | null {
  const [only] = replaced;
  const goesOn = key.limits !== null && replaced.length === 1 && only?.limits != null;
  const own = goesOn ? [] : lineageOf(key);
  const lineage = [...new Set([...own, ...replaced.flatMap(lineageOf)])];
  return lineage.length === 1 && lineage[0] === lineageOf(key)[0] ? null : lineage;
}

export interface KeyLeft {
  readonly spendLimitPeriod?: Kobo;
  readonly totalCap?: Kobo;
  readonly maxPayments?: number;
}

export function leftOf({ spendLimitPeriod, totalCap, maxPayments }: KeyLimits, usage: KeyUsage): KeyLeft {
  const left = (limit: number, used: number) => Math.max(0, limit - used);
  return {
    ...(spendLimitPeriod !== undefined && {
      spendLimitPeriod: kobo(left(spendLimitPeriod, usage.spentInPeriod)),
    }),
    ...(totalCap !== undefined && { totalCap: kobo(left(totalCap, usage.spent)) }),
    ...(maxPayments !== undefined && { maxPayments: left(maxPayments, usage.payments) }),
  };
}
