import type { Kobo } from '../../kernel/money.js';
import type { KeyLimits, RequiredOfPayment } from './wallet.port.js';
import type { WalletControls } from './wallet.events.js';

const LOCKED_COLUMNS = `w.id, w.status, w.expiry, w.balance, w.held, w.held_count AS "heldCount", w.spend_limit_per_tx AS "spendLimitPerTx",
  w.spend_limit_period AS "spendLimitPeriod", w.period_window_days AS "periodWindowDays",
  w.use_allowlist AS "useAllowlist", w.allowed_merchants, w.updated_at, w.attempt_count AS "attemptCount",
  w.blocked_count AS "blockedCount", w.spent_total::text AS "spentTotal", w.entry_count AS "entryCount",
  w.window_days AS "windowDays", w.window_spent AS "windowSpent", w.window_from AS "windowFrom", w.controls`;
/** Outside the locking part: the time is read after the lock. */
const seen = (locked: string) => `${locked}.status, ${locked}.expiry, ${locked}.balance,
  ${locked}.held, ${locked}."heldCount",
  ${locked}."spendLimitPerTx", ${locked}."spendLimitPeriod", ${locked}."periodWindowDays", ${locked}."useAllowlist",
  ${locked}."attemptCount", ${locked}."blockedCount", ${locked}."spentTotal", ${locked}."entryCount",
  ${locked}."windowDays", ${locked}."windowSpent", ${locked}."windowFrom", ${locked}.controls,
  greatest(date_trunc('milliseconds', clock_timestamp()), ${locked}.updated_at) AS now`;

const LIVE_KEY = 'k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp())';

export const WALLET_OF_KEY = `SELECT k.wallet_id AS "walletId" FROM api_keys k WHERE k.hash = $1 AND ${LIVE_KEY}`;

const HISTORY_OF_KEY = 'CASE WHEN k.limits IS NOT NULL THEN coalesce(k.lineage[1], k.id) END AS "historyId"';

export const READER_OF_KEY = `
  SELECT k.id AS "keyId", w.user_id AS "ownerId", k.wallet_id AS "walletId", ${HISTORY_OF_KEY}
    FROM api_keys k JOIN wallets w ON w.id = k.wallet_id WHERE k.hash = $1 AND ${LIVE_KEY}`;

/** Numbers of requests whose merchant is on the wallet's, or the key's, list; null: no list. */
const listed = (key: string, requests: string, ofKey = '') => {
  const on = (list: string) => `
         CASE WHEN cardinality(${list}) > 0 THEN ARRAY(
           SELECT r.nr::integer FROM ${requests} WHERE ${ofKey} r.merchant = ANY (${list})
         ) END`;
  return `${on('l.allowed_merchants')} AS listed, ${on(`${key}."keyMerchants"`)} AS "keyListed"`;
};

/**
 * Only the lineage changes. Merchant lists stay in PostgreSQL; keys of the previous release carry theirs in
 * `limits`.
 */
const KEY_COLUMNS = `k.id AS "keyId", k.created_at AS "keyCreatedAt", k.purpose, k.requires, k.lineage, k.allowed_merchants AS "keyMerchants",
  CASE WHEN k.allowed_merchants IS NULL THEN k.limits ELSE k.limits - 'allowedMerchants' END AS limits,
  ${HISTORY_OF_KEY}`;
/** Creation time, only if the key or its wallet has rules. */
const keySeen = (
  key: string,
) => `${key}."keyId", ${key}.limits, ${key}.purpose, ${key}.requires, ${key}.lineage, ${key}."historyId",
         CASE WHEN l.controls IS NOT NULL OR ${key}.limits IS NOT NULL OR ${key}.purpose IS NOT NULL
              THEN ${key}."keyCreatedAt" END AS "keyCreatedAt"`;

/** No row: unknown key, or the wallet is locked elsewhere. */
export const LOCK_OF_KEY = `
  SELECT l.id AS "walletId", ${seen('l')}, ${keySeen('l')},
         ${listed('l', 'unnest($2::text[]) WITH ORDINALITY AS r (merchant, nr)')}
    FROM (SELECT ${LOCKED_COLUMNS}, ${KEY_COLUMNS} FROM api_keys k JOIN wallets w ON w.id = k.wallet_id
           WHERE k.hash = $1 AND ${LIVE_KEY} FOR UPDATE OF w SKIP LOCKED) l`;

/** Waits for the lock. */
export const LOCK_BY_ID = `
  SELECT l.id AS "walletId", ${seen('l')} FROM (SELECT ${LOCKED_COLUMNS} FROM wallets w WHERE w.id = $1 FOR UPDATE) l`;

/** One row per live key, wallets in id order against deadlocks. LIMIT and LATERAL force index seeks. */
const lockStatement = (lock: '' | 'FOR UPDATE' | 'FOR UPDATE SKIP LOCKED') => `
  SELECT k.nr AS "keyNumber", k.wallet_id AS "walletId", l.id IS NOT NULL AS "isLocked", ${keySeen('k')},
         ${listed(
           'k',
           'unnest($2::integer[], $3::text[]) WITH ORDINALITY AS r (key_number, merchant, nr)',
           'r.key_number = k.nr AND',
         )}, ${seen('l')}
    FROM (SELECT i.nr::integer, found.* FROM unnest($1::bytea[]) WITH ORDINALITY AS i (hash, nr)
           CROSS JOIN LATERAL (SELECT k.wallet_id, ${KEY_COLUMNS} FROM api_keys k
                                WHERE k.hash = i.hash AND ${LIVE_KEY} LIMIT 1) found
           ORDER BY found.wallet_id) k
    LEFT JOIN LATERAL (SELECT ${LOCKED_COLUMNS} FROM wallets w WHERE w.id = k.wallet_id ${lock}) l ON true`;
export const LOCK_OR_SKIP = lockStatement('FOR UPDATE SKIP LOCKED');
export const LOCK_OR_WAIT = lockStatement('FOR UPDATE');
/** Checks again after a lock wait, as the statement saw the key before it. */
export const STILL_LIVE = `
  SELECT i.nr::integer AS "keyNumber" FROM unnest($1::bytea[]) WITH ORDINALITY AS i (hash, nr)
   CROSS JOIN LATERAL (SELECT 1 FROM api_keys k WHERE k.hash = i.hash AND ${LIVE_KEY} LIMIT 1) found`;

export const READ_UNLOCKED = lockStatement('');

export interface LockedRow {
  readonly walletId: string;
  readonly status: string;
  readonly expiry: Date;
  readonly balance: Kobo;
  readonly held: Kobo;
  readonly heldCount: number;
  readonly spendLimitPerTx: Kobo;
  readonly spendLimitPeriod: Kobo;
  readonly periodWindowDays: number;
  readonly useAllowlist: boolean;
  readonly attemptCount: number;
  readonly blockedCount: number;
  readonly spentTotal: string;
  readonly entryCount: number;
  readonly windowDays: number | null;
  readonly windowSpent: number;
  readonly windowFrom: Date | null;
  readonly controls: WalletControls | null;
  readonly now: Date;
}

export interface KeyLockedRow extends LockedRow {
  readonly keyId: string;
  /** Without merchants if {@link keyListed} is set. */
  readonly limits: KeyLimits | null;
  readonly purpose: string | null;
  readonly requires: readonly RequiredOfPayment[] | null;
  readonly lineage: readonly string[] | null;
  /** Null: a key without limits. */
  readonly historyId: string | null;
  readonly keyListed: readonly number[] | null;
  /** Null: no rule needs it. */
  readonly keyCreatedAt: Date | null;
  readonly listed: readonly number[] | null;
}

/** Not `isLocked`: locked elsewhere; wallet columns are null. */
export interface KeyRow extends KeyLockedRow {
  readonly keyNumber: number;
  readonly isLocked: boolean;
}
