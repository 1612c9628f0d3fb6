import { Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { Database, type Queryable, type Tx } from '../../platform/database/database.js';
import { AppError } from '../../kernel/errors.js';
import type { Kobo } from '../../kernel/money.js';
import { isUuid, merchantIdentity } from '../../kernel/text.js';
import {
  type LockedWallet,
  type OwnedWallet,
  type SpendAccess,
  type SpendRequest,
  Wallets,
} from './wallet.port.js';
import type { SpendingRules } from './wallet.domain.js';

/** A wallet as stored, with whether its expiry has passed by the database's clock. */
export interface WalletRow extends SpendingRules {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  readonly balance: Kobo;
  readonly status: string;
  readonly expired: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A key as its owner may see it after its creation. */
export interface ApiKeyRow {
  readonly id: string;
  readonly walletId: string;
  readonly keyPrefix: string;
  readonly createdAt: Date;
}

/** A merchant the wallet has paid. */
export interface MerchantRow {
  readonly id: string;
  readonly name: string;
}

/** A sum to be taken from or added to a wallet. */
export interface BalanceChange {
  readonly walletId: string;
  readonly amount: number;
}

const WALLET_COLUMNS = `id, user_id AS "userId", name, balance, spend_limit_per_tx AS "spendLimitPerTx",
  spend_limit_period AS "spendLimitPeriod", period_window_days AS "periodWindowDays", expiry,
  use_allowlist AS "useAllowlist", merchant_allowlist AS "merchantAllowlist", status,
  expiry <= clock_timestamp() AS expired, created_at AS "createdAt", updated_at AS "updatedAt"`;
const API_KEY_COLUMNS = `id, wallet_id AS "walletId", key_prefix AS "keyPrefix", created_at AS "createdAt"`;
const MERCHANTS_SHOWN_MAX = 1_000;
const WALLETS_LISTED_MAX = 10_000;

/**
 * Rows are locked in the order of their ids: two transactions can never wait for each other. One row a wallet: the
 * `requests` that its keys came with, by their number, and those of them whose merchant is `listed`.
 */
const lockStatement = (waitOrSkip: '' | 'SKIP LOCKED') => `
  WITH keyed AS MATERIALIZED (
    SELECT i.nr::integer, i.merchant, k.wallet_id
      FROM unnest($1::bytea[], $2::text[]) WITH ORDINALITY AS i (hash, merchant, nr)
      JOIN api_keys k ON k.hash = i.hash AND k.revoked_at IS NULL
  ), locked AS MATERIALIZED (
    SELECT w.id, w.status, w.expiry, w.balance, w.spend_limit_per_tx, w.spend_limit_period,
           w.period_window_days, w.use_allowlist, w.allowed_merchants, w.updated_at
      FROM wallets w WHERE w.id IN (SELECT wallet_id FROM keyed)
     ORDER BY w.id FOR UPDATE ${waitOrSkip}
  )
  SELECT k.wallet_id AS "walletId", k.requests, l.id IS NOT NULL AS "isLocked",
         CASE WHEN cardinality(l.allowed_merchants) > 0 THEN ARRAY(
           SELECT i.nr FROM keyed i WHERE i.wallet_id = l.id AND i.merchant = ANY (l.allowed_merchants)
         ) END AS listed,
         l.status, l.expiry, l.balance, l.spend_limit_per_tx AS "spendLimitPerTx",
         l.spend_limit_period AS "spendLimitPeriod", l.period_window_days AS "periodWindowDays",
         l.use_allowlist AS "useAllowlist", l.updated_at AS "updatedAt"
    FROM (SELECT wallet_id, array_agg(nr) AS requests FROM keyed GROUP BY wallet_id) k
    LEFT JOIN locked l ON l.id = k.wallet_id`;
const LOCK_OR_SKIP = lockStatement('SKIP LOCKED');
const LOCK_OR_WAIT = lockStatement('');

@Injectable()
export class WalletStore extends Wallets {
  constructor(private readonly database: Database) {
    super();
  }

  async now(from: Queryable): Promise<Date> {
    const [row] = await from.query<{ now: Date }>(`SELECT clock_timestamp() AS now`);
    return (row as { now: Date }).now;
  }

  async add(
    wallet: SpendingRules & { id: string; userId: string; name: string },
    key: { hash: Buffer; keyPrefix: string },
    tx: Tx,
  ): Promise<{ wallet: WalletRow; apiKey: ApiKeyRow }> {
    const [row] = await tx.query<WalletRow>(
      `INSERT INTO wallets (id, user_id, name, spend_limit_per_tx, spend_limit_period, period_window_days, expiry,
         use_allowlist, merchant_allowlist, allowed_merchants, created_at, updated_at)
       SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, now, now
         FROM (SELECT date_trunc('milliseconds', clock_timestamp()) AS now) clock
       RETURNING ${WALLET_COLUMNS}`,
      [
        wallet.id,
        wallet.userId,
        wallet.name,
        wallet.spendLimitPerTx,
        wallet.spendLimitPeriod,
        wallet.periodWindowDays,
        wallet.expiry,
        wallet.useAllowlist,
        wallet.merchantAllowlist,
        wallet.merchantAllowlist.map(merchantIdentity),
      ],
    );
    const [apiKey] = await tx.query<ApiKeyRow>(
      `INSERT INTO api_keys (id, wallet_id, hash, key_prefix, created_at)
       VALUES ($1, $2, $3, $4, date_trunc('milliseconds', clock_timestamp())) RETURNING ${API_KEY_COLUMNS}`,
      [uuid(), wallet.id, key.hash, key.keyPrefix],
    );
    return { wallet: row as WalletRow, apiKey: apiKey as ApiKeyRow };
  }

  async find(walletId: string, userId: string): Promise<WalletRow> {
    const [row] = isUuid(walletId)
      ? await this.database.query<WalletRow>(
          `SELECT ${WALLET_COLUMNS} FROM wallets WHERE id = $1 AND user_id = $2`,
          [walletId, userId],
        )
      : [];
    if (!row) throw walletNotFound();
    return row;
  }

  requireOwned(walletId: string, userId: string): Promise<OwnedWallet> {
    return this.find(walletId, userId);
  }

  /** Newest first. */
  listOf(userId: string): Promise<WalletRow[]> {
    return this.database.query<WalletRow>(
      `SELECT ${WALLET_COLUMNS} FROM wallets WHERE user_id = $1 ORDER BY created_at DESC, id DESC LIMIT ${WALLETS_LISTED_MAX}`,
      [userId],
    );
  }

  ownedBy(userId: string): Promise<readonly OwnedWallet[]> {
    return this.listOf(userId);
  }

  async idsOwnedBy(userId: string | null): Promise<readonly string[]> {
    const rows = await this.database.query<{ id: string }>(
      'SELECT id FROM wallets WHERE $1::uuid IS NULL OR user_id = $1',
      [userId],
    );
    return rows.map(({ id }) => id);
  }

  async ownersOf(walletIds: readonly string[], from: Queryable): Promise<ReadonlyMap<string, string>> {
    const rows = await from.query<{ id: string; userId: string }>(
      'SELECT id, user_id AS "userId" FROM wallets WHERE id = ANY ($1::uuid[])',
      [walletIds],
    );
    return new Map(rows.map(({ id, userId }) => [id, userId]));
  }

  keysOf(walletIds: readonly string[]): Promise<ApiKeyRow[]> {
    return this.database.query<ApiKeyRow>(
      `SELECT ${API_KEY_COLUMNS} FROM api_keys WHERE wallet_id = ANY ($1) AND revoked_at IS NULL ORDER BY created_at, id`,
      [walletIds],
    );
  }

  merchantsOf(walletId: string): Promise<MerchantRow[]> {
    return this.database.query<MerchantRow>(
      `SELECT id, name FROM wallet_merchants WHERE wallet_id = $1 ORDER BY id LIMIT ${MERCHANTS_SHOWN_MAX}`,
      [walletId],
    );
  }

  async requireKey(keyHash: Buffer): Promise<string> {
    const [found] = await this.database.query<{ id: string }>(
      'SELECT wallet_id AS id FROM api_keys WHERE hash = $1 AND revoked_at IS NULL',
      [keyHash],
    );
    if (!found) throw invalidApiKey();
    return found.id;
  }

  async lockForSpending(
    requests: readonly SpendRequest[],
    wait: boolean,
    tx: Tx,
  ): Promise<readonly SpendAccess[]> {
    interface Row extends LockedWallet {
      readonly walletId: string;
      readonly requests: readonly number[];
      readonly isLocked: boolean;
      readonly listed: readonly number[] | null;
    }
    const rows = await tx.query<Row>(wait ? LOCK_OR_WAIT : LOCK_OR_SKIP, [
      requests.map(({ keyHash }) => keyHash),
      requests.map(({ merchant }) => merchant),
    ]);
    const access: SpendAccess[] = requests.map(() => ({ kind: 'no-such-key' }));
    for (const { walletId, requests: own, isLocked, listed, ...rest } of rows) {
      const wallet = { ...rest, id: walletId };
      const onAllowlist = new Set(listed);
      for (const nr of own) {
        access[nr - 1] = isLocked
          ? { kind: 'locked', wallet, onAllowlist: onAllowlist.has(nr) }
          : { kind: 'held-elsewhere', walletId };
      }
    }
    return access;
  }

  /**
   * Takes the sums from wallets that `tx` has locked. The balances that are left were computed from the locked rows;
   * PostgreSQL computes them again, and a difference breaks the constraint `wallets_balance_range`.
   */
  debit(changes: readonly (BalanceChange & { balanceAfter: number; at: Date })[], tx: Tx): void {
    tx.write(
      `UPDATE wallets w SET updated_at = c.at,
              balance = CASE WHEN w.balance - c.amount = c.balance_after THEN c.balance_after ELSE -1 END
         FROM unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::timestamptz[]) AS c (id, amount, balance_after, at)
        WHERE w.id = c.id`,
      [
        changes.map(({ walletId }) => walletId),
        changes.map(({ amount }) => amount),
        changes.map(({ balanceAfter }) => balanceAfter),
        changes.map(({ at }) => at),
      ],
    );
  }

  /**
   * Locks the wallets in the order of their ids, then adds the sums; answers balances and the time of the change,
   * read after the locks. Throws PostgreSQL's violation of `wallets_balance_range` when a balance can't hold it.
   */
  async credit(
    changes: readonly BalanceChange[],
    tx: Tx,
  ): Promise<Map<string, { readonly balance: number; readonly at: Date }>> {
    const ids = changes.map(({ walletId }) => walletId);
    await tx.query('SELECT id FROM wallets WHERE id = ANY ($1) ORDER BY id FOR UPDATE', [ids]);
    const rows = await tx.query<{ id: string; balance: number; at: Date }>(
      `UPDATE wallets w SET balance = w.balance + c.amount,
              updated_at = greatest(w.updated_at, date_trunc('milliseconds', clock_timestamp()))
         FROM unnest($1::uuid[], $2::bigint[]) AS c (id, amount)
        WHERE w.id = c.id RETURNING w.id, w.balance, w.updated_at AS at`,
      [ids, changes.map(({ amount }) => amount)],
    );
    return new Map(rows.map(({ id, balance, at }) => [id, { balance, at }]));
  }

  /** Keeps the first spelling of every merchant a wallet pays. */
  remember(merchants: readonly { walletId: string; merchant: string; name: string }[], tx: Tx): void {
    tx.write(
      `INSERT INTO wallet_merchants (wallet_id, merchant, id, name)
       SELECT * FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[]) ON CONFLICT DO NOTHING`,
      [
        merchants.map(({ walletId }) => walletId),
        merchants.map(({ merchant }) => merchant),
        merchants.map(() => uuid()),
        merchants.map(({ name }) => name),
      ],
    );
  }
}

function walletNotFound(): AppError {
  return new AppError('WALLET_NOT_FOUND', 'No wallet of yours has this id.');
}

function invalidApiKey(): AppError {
  return new AppError('INVALID_API_KEY', 'This x-api-key belongs to no wallet.');
}
