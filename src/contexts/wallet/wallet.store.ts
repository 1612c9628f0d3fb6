import { Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { Database, type Queryable, type Tx } from '../../platform/database/database.js';
import { AppError } from '../../kernel/errors.js';
import type { Kobo } from '../../kernel/money.js';
import { isUuid, merchantIdentity } from '../../kernel/text.js';
import { type OwnedWallet, Wallets } from './wallet.port.js';
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

const WALLET_COLUMNS = `id, user_id AS "userId", name, balance, spend_limit_per_tx AS "spendLimitPerTx",
  spend_limit_period AS "spendLimitPeriod", period_window_days AS "periodWindowDays", expiry,
  use_allowlist AS "useAllowlist", merchant_allowlist AS "merchantAllowlist", status,
  expiry <= clock_timestamp() AS expired, created_at AS "createdAt", updated_at AS "updatedAt"`;
const API_KEY_COLUMNS = `id, wallet_id AS "walletId", key_prefix AS "keyPrefix", created_at AS "createdAt"`;
const MERCHANTS_SHOWN_MAX = 1_000;
const WALLETS_LISTED_MAX = 10_000;

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
}

function walletNotFound(): AppError {
  return new AppError('WALLET_NOT_FOUND', 'No wallet of yours has this id.');
}

function invalidApiKey(): AppError {
  return new AppError('INVALID_API_KEY', 'This x-api-key belongs to no wallet.');
}
