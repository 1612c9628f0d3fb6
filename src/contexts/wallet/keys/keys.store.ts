import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { Database } from '../../../platform/database/database.js';
import type { Tx } from '../../../platform/database/tx.js';
import { AppError } from '../../../kernel/errors.js';
import { LIST_BYTES_MAX } from '../../../kernel/page.js';
import { isUuid } from '../../../kernel/text.js';
import { ApiKey } from '../wallet.entity.js';
import type { KeyLimits } from '../wallet.port.js';

const KEYS_LISTED_MAX = 500;
const NOT_EXPIRED = '(key.expiresAt IS NULL OR key.expiresAt > clock_timestamp())';

const LIVE = 'key.revoked_at IS NULL AND (key.expires_at IS NULL OR key.expires_at > clock_timestamp())';

export type ListedKey = Omit<ApiKey, 'hash' | 'limits'> & {
  readonly limits: (KeyLimits & { readonly allowedMerchantsCount?: number }) | null;
};

export type KeyAge = Required<Pick<ApiKey, 'id' | 'ageFrom' | 'coolingSpent'>>;

@Injectable()
export class KeysStore {
  constructor(private readonly database: Database) {}

  /**
   * All live keys and the dead ones among the newest 500, newest first. Past {@link LIST_BYTES_MAX} dead
   * keys' merchants are only counted.
   */
  list(walletId: string): Promise<ListedKey[]> {
    return this.database.reads.query<ListedKey>(
      `SELECT id, "walletId", "keyPrefix", name, "expiresAt", "lastUsedAt", "createdAt", purpose, requires, "secondApprovalAbove", "revokedAt", "madeByUserId",
              CASE WHEN dead_bytes > 0 AND sum(dead_bytes) OVER (ORDER BY "createdAt" DESC, id DESC) > $3
                   THEN (limits - 'allowedMerchants')
                        || jsonb_build_object('allowedMerchantsCount', jsonb_array_length(limits -> 'allowedMerchants'))
                   ELSE limits END AS limits
         FROM (SELECT key.id, key.wallet_id AS "walletId", key.key_prefix AS "keyPrefix", key.name,
                      key.expires_at AS "expiresAt", key.last_used_at AS "lastUsedAt", key.created_at AS "createdAt",
                      key.purpose, key.requires, key.second_approval_above AS "secondApprovalAbove", key.revoked_at AS "revokedAt", key.limits, key.made_by_user_id AS "madeByUserId",
                      CASE WHEN ${LIVE} THEN 0 ELSE coalesce(octet_length(key.limits ->> 'allowedMerchants'), 0) END
                        AS dead_bytes
                 FROM api_keys key
                WHERE key.wallet_id = $1
                  AND (${LIVE} OR key.id IN (SELECT newest.id FROM api_keys newest WHERE newest.wallet_id = $1
                                              ORDER BY newest.created_at DESC, newest.id DESC LIMIT $2))) listed
        ORDER BY "createdAt" DESC, id DESC`,
      [walletId, KEYS_LISTED_MAX, LIST_BYTES_MAX],
    );
  }

  /** Throws `KEY_NOT_FOUND`. */
  async find(id: string, walletId: string, from: Pick<Tx, 'repository'>): Promise<ApiKey> {
    const keys = from.repository(ApiKey).createQueryBuilder('key').addSelect('key.lineage');
    const key = isUuid(id) ? await keys.where({ id, walletId }).getOne() : null;
    if (!key) throw new AppError('KEY_NOT_FOUND', 'No key of this wallet has this id.');
    return key;
  }

  live(walletId: string, tx: Tx): Promise<ApiKey[]> {
    return tx
      .repository(ApiKey)
      .createQueryBuilder('key')
      .addSelect('key.lineage')
      .where({ walletId, revokedAt: IsNull() })
      .andWhere(NOT_EXPIRED)
      .getMany();
  }

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
  }

  async extendLineage(id: string, lineage: readonly string[], tx: Tx): Promise<void> {
    await tx.repository(ApiKey).update({ id }, { lineage });
  }

  async rename(id: string, name: string, tx: Tx): Promise<void> {
    await tx.repository(ApiKey).update({ id }, { name });
  }

  async revoke(id: string, at: Date, tx: Tx): Promise<void> {
    await tx.repository(ApiKey).update({ id }, { revokedAt: at });
  }

  async expire(id: string, expiresAt: Date, tx: Tx): Promise<void> {
    await tx.repository(ApiKey).update({ id }, { expiresAt });
  }
}
