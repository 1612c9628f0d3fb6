import type { Kobo } from '../../kernel/money.js';
import type { KeyLimits, WalletControls } from './wallet.port.js';

const LOCKED_COLUMNS = `w.id, w.status, w.expiry, w.balance, w.held, w.held_count AS "heldCount", w.spend_limit_per_tx AS "spendLimitPerTx",
  w.spend_limit_period AS "spendLimitPeriod", w.period_window_days AS "periodWindowDays",
  w.use_allowlist AS "useAllowlist", w.allowed_merchants, w.updated_at, w.attempt_count AS "attemptCount",
  w.blocked_count AS "blockedCount", w.spent_total::text AS "spentTotal", w.entry_count AS "entryCount",
  w.window_days AS "windowDays", w.window_spent AS "windowSpent", w.window_from AS "windowFrom", w.controls`;
/** Of a wallet as it is locked, computed outside of what takes the lock: the time is read after it. */
const seen = (locked: string) => `${locked}.id, ${locked}.status, ${locked}.expiry, ${locked}.balance,
  ${locked}.held, ${locked}."heldCount",
  ${locked}."spendLimitPerTx", ${locked}."spendLimitPeriod", ${locked}."periodWindowDays", ${locked}."useAllowlist",
  ${locked}."attemptCount", ${locked}."blockedCount", ${locked}."spentTotal", ${locked}."entryCount",
  ${locked}."windowDays", ${locked}."windowSpent", ${locked}."windowFrom", ${locked}.controls,
  greatest(date_trunc('milliseconds', clock_timestamp()), ${locked}.updated_at) AS now`;

const LIVE_KEY = 'k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp())';

/** The wallet of a live key, without its lock. */
export const WALLET_OF_KEY = `SELECT k.wallet_id AS "walletId" FROM api_keys k WHERE k.hash = $1 AND ${LIVE_KEY}`;

/** The numbers of the requests that go to a merchant on the locked wallet's list; null where it has none. */
const listed = (requests: string, ofWallet = '') => `
         CASE WHEN cardinality(l.allowed_merchants) > 0 THEN ARRAY(
           SELECT r.nr::integer FROM ${requests} WHERE ${ofWallet} r.merchant = ANY (l.allowed_merchants)
         ) END AS listed`;

/** What the requests of one key need; no row: there is no such key, or the row is locked elsewhere. */
export const LOCK_OF_KEY = `
  SELECT ${seen('l')}, l."keyId", l."keyCreatedAt", l.limits, l.purpose,
         ${listed('unnest($2::text[]) WITH ORDINALITY AS r (merchant, nr)')}
    FROM (SELECT ${LOCKED_COLUMNS}, k.id AS "keyId", k.created_at AS "keyCreatedAt", k.limits, k.purpose FROM api_keys k JOIN wallets w ON w.id = k.wallet_id
           WHERE k.hash = $1 AND ${LIVE_KEY} FOR UPDATE OF w SKIP LOCKED) l`;

/** One wallet, whoever has it now. */
export const LOCK_BY_ID = `
  SELECT ${seen('l')} FROM (SELECT ${LOCKED_COLUMNS} FROM wallets w WHERE w.id = $1 FOR UPDATE) l`;

/**
 * Rows are locked in the order of their ids: two transactions can never wait for each other. Each key is asked for once,
 * and each request names its key by its number. One row a wallet: the numbers of its keys, their ids, and the requests
 * whose merchant is `listed`. More of the `keys` than their ids is read where the wallet or one of them has rules of its
 * own. None of it ever changes: it may be as old as the statement.
 *
 * Only wallets of `keyed` are `locked`, so that the last join loses nobody on its right. It is a full one because that is
 * hashed: PostgreSQL expects one row, and would go through all that is locked for each wallet.
 */
const lockStatement = (lock: '' | 'FOR UPDATE' | 'FOR UPDATE SKIP LOCKED') => `
  WITH keyed AS MATERIALIZED (
    SELECT i.nr::integer, k.wallet_id, k.id, k.created_at, k.limits, k.purpose
      FROM unnest($1::bytea[]) WITH ORDINALITY AS i (hash, nr)
      JOIN api_keys k ON k.hash = i.hash AND ${LIVE_KEY}
  ), locked AS MATERIALIZED (
    SELECT ${LOCKED_COLUMNS} FROM wallets w WHERE w.id IN (SELECT wallet_id FROM keyed)
     ORDER BY w.id ${lock}
  )
  SELECT k.wallet_id AS "walletId", k."keyNumbers", k."keyIds", l.id IS NOT NULL AS "isLocked",
         CASE WHEN l.controls IS NOT NULL OR k."haveRules" THEN (
           SELECT json_object_agg(i.id, json_build_object('purpose', i.purpose, 'limits', i.limits,
                    'createdAt', floor(extract(epoch FROM i.created_at) * 1000)))
             FROM keyed i WHERE i.wallet_id = l.id
         ) END AS keys,
         ${listed(
           'unnest($2::integer[], $3::text[]) WITH ORDINALITY AS r (key_number, merchant, nr)',
           'r.key_number = ANY (k."keyNumbers") AND',
         )}, ${seen('l')}
    FROM (SELECT wallet_id, array_agg(nr) AS "keyNumbers", array_agg(id) AS "keyIds",
                 bool_or(limits IS NOT NULL OR purpose IS NOT NULL) AS "haveRules"
            FROM keyed GROUP BY wallet_id) k
    FULL JOIN locked l ON l.id = k.wallet_id`;
export const LOCK_OR_SKIP = lockStatement('FOR UPDATE SKIP LOCKED');
export const LOCK_OR_WAIT = lockStatement('FOR UPDATE');
/** The same rows as they are, locked or not. */
export const LOOK = lockStatement('');

/** A locked row as it arrives. */
export interface LockedRow {
  readonly id: string;
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

/** What {@link LOCK_OF_KEY} answers. */
export interface KeyLockedRow extends LockedRow {
  readonly listed: readonly number[] | null;
  readonly keyId: string;
  readonly keyCreatedAt: Date;
  readonly limits: KeyLimits | null;
  readonly purpose: string | null;
}

/** What {@link LOCK_OR_SKIP}, {@link LOCK_OR_WAIT} and {@link LOOK} answer of each wallet. */
export interface SeveralLockedRow extends LockedRow {
  readonly walletId: string;
  readonly keyNumbers: readonly number[];
  /** Of each of these. */
  readonly keyIds: readonly string[];
  readonly isLocked: boolean;
  readonly keys: Readonly<Record<string, KeyRow>> | null;
  readonly listed: readonly number[] | null;
}

interface KeyRow {
  /** In milliseconds since 1970. */
  readonly createdAt: number;
  readonly limits: KeyLimits | null;
  readonly purpose: string | null;
}
