import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { Database } from '../../../platform/database/database.js';
import type { Tx } from '../../../platform/database/tx.js';
import { AppError } from '../../../kernel/errors.js';
import { isUuid } from '../../../kernel/text.js';
import { ApiKey } from '../wallet.entity.js';
import { ApiKeyUsage } from './keys.entity.js';

const KEYS_LISTED_MAX = 500;
const NOT_EXPIRED = '(key.expiresAt IS NULL OR key.expiresAt > clock_timestamp())';

/** How old a key counts as. */
export type KeyAge = Required<Pick<ApiKey, 'id' | 'ageFrom' | 'coolingSpent'>>;

@Injectable()
export class KeysStore {
  constructor(private readonly database: Database) {}

  /** All keys of a wallet that pay, and the dead ones that are among the newest 500; newest first. */
  list(walletId: string): Promise<ApiKey[]> {
    const keys = this.database.reads.repository(ApiKey);
    const newest = keys
      .createQueryBuilder('newest')
      .select('newest.id')
      .where('newest.walletId = :walletId')
      .orderBy({ 'newest.createdAt': 'DESC', 'newest.id': 'DESC' })
      .limit(KEYS_LISTED_MAX);
    return keys
      .createQueryBuilder('key')
      .where('key.walletId = :walletId', { walletId })
      .andWhere(`(key.revokedAt IS NULL AND ${NOT_EXPIRED} OR key.id IN (${newest.getQuery()}))`)
      .orderBy({ 'key.createdAt': 'DESC', 'key.id': 'DESC' })
      .getMany();
  }

  /** A key of a wallet. Throws `KEY_NOT_FOUND`. */
  async find(id: string, walletId: string, from: Pick<Tx, 'repository'>): Promise<ApiKey> {
    const key = isUuid(id) ? await from.repository(ApiKey).findOneBy({ id, walletId }) : null;
    if (!key) throw new AppError('KEY_NOT_FOUND', 'No key of this wallet has this id.');
    return key;
  }

  /** The keys of a locked wallet that pay. */
  live(walletId: string, tx: Tx): Promise<ApiKey[]> {
    return tx
      .repository(ApiKey)
      .createQueryBuilder('key')
      .addSelect('key.lineage')
      .where({ walletId, revokedAt: IsNull() })
      .andWhere(NOT_EXPIRED)
      .getMany();
  }

  /** The oldest of these keys: where its age counts from, and what it paid while it cooled off. Null: there is none. */
  async oldest(keys: readonly Pick<ApiKey, 'id'>[], tx: Tx): Promise<KeyAge | null> {
    const [oldest] = await tx.query<KeyAge>(
      `SELECT id, coalesce(age_from, created_at) AS "ageFrom", cooling_spent::bigint AS "coolingSpent"
         FROM api_keys WHERE id = ANY ($1::uuid[]) ORDER BY coalesce(age_from, created_at), id LIMIT 1`,
      [keys.map(({ id }) => id)],
    );
    return oldest ?? null;
  }

  count(walletId: string, tx: Tx): Promise<number> {
    return tx.repository(ApiKey).countBy({ walletId });
  }

  async add(key: ApiKey, tx: Tx): Promise<void> {
    await tx.repository(ApiKey).insert(key);
    if (key.limits) await tx.repository(ApiKeyUsage).insert({ walletId: key.walletId, keyId: key.id });
  }

  /** Has a key of a locked wallet find the idempotency keys of one that replaces it. */
  async extendLineage(id: string, lineage: readonly string[], tx: Tx): Promise<void> {
    await tx.repository(ApiKey).update({ id }, { lineage });
  }

  async rename(id: string, name: string, tx: Tx): Promise<void> {
    await tx.repository(ApiKey).update({ id }, { name });
  }

  /** From `at` on the key pays nothing. */
  async revoke(id: string, at: Date, tx: Tx): Promise<void> {
    await tx.repository(ApiKey).update({ id }, { revokedAt: at });
  }

  async expire(id: string, expiresAt: Date, tx: Tx): Promise<void> {
    await tx.repository(ApiKey).update({ id }, { expiresAt });
  }
}
