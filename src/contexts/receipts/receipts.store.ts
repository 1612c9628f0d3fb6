import { Injectable } from '@nestjs/common';
import { Equal, IsNull, Or } from 'typeorm';
import { Database } from '../../platform/database/database.js';
import type { Tx } from '../../platform/database/tx.js';
import { ReceiptKey } from './receipts.entity.js';

const ROTATION_LOCK = 7_241_003;

export type NewReceiptKey = Pick<ReceiptKey, 'kid' | 'publicKey'> & { readonly sealedPrivateKey: string };

type IsOwn = (key: ReceiptKey) => boolean;

@Injectable()
export class ReceiptsStore {
  constructor(private readonly database: Database) {}

  /** Null if none. */
  async active(
    sealedBy: string,
    isOwn: IsOwn,
    days: number,
  ): Promise<{ key: ReceiptKey; isOld: boolean } | null> {
    const { entities, raw } = await this.database
      .repository(ReceiptKey)
      .createQueryBuilder('key')
      .addSelect(`key.createdAt <= clock_timestamp() - :days * interval '24 hours'`, 'is_old')
      .where('key.retiredAt IS NULL AND (key.sealedBy = :sealedBy OR key.sealedBy IS NULL)')
      .orderBy('key.sealedBy', 'ASC', 'NULLS LAST')
      .setParameters({ days, sealedBy })
      .getRawAndEntities<{ is_old: boolean }>();
    const i = entities.findIndex(isOwn);
    const key = entities[i];
    return key ? { key, isOld: raw[i]?.is_old === true } : null;
  }

  /** Every key, newest first: omitting one would void its receipts. */
  all(): Promise<ReceiptKey[]> {
    return this.database.reads.repository(ReceiptKey).find({ order: { createdAt: 'DESC' } });
  }

  /** Retires old keys and returns the secret's active one: `made`, unless another process was faster. */
  async rotate(days: number, sealedBy: string, isOwn: IsOwn, made: NewReceiptKey): Promise<ReceiptKey> {
    return this.database.transaction(async (tx) => {
      await this.retire(days, tx);
      const keys = tx.repository(ReceiptKey);
      const signing = await keys.findBy({ retiredAt: IsNull(), sealedBy: Or(Equal(sealedBy), IsNull()) });
      const known = signing.find(isOwn);
      if (known) return known;
      const [clock] = await tx.query<{ now: Date }>(
        `SELECT date_trunc('milliseconds', clock_timestamp()) AS now`,
      );
      const key = { ...made, sealedBy, createdAt: (clock as { now: Date }).now, retiredAt: null };
      await keys.insert(key);
      return key;
    });
  }

  /** Deletes the private halves of old keys. */
  async retireOld(days: number): Promise<void> {
    await this.database.transaction((tx) => this.retire(days, tx));
  }

  private async retire(days: number, tx: Tx): Promise<void> {
    await tx.query('SELECT pg_advisory_xact_lock($1)', [ROTATION_LOCK]);
    await tx.query(
      `UPDATE receipt_keys SET retired_at = date_trunc('milliseconds', clock_timestamp()), sealed_private_key = NULL
        WHERE retired_at IS NULL AND created_at <= clock_timestamp() - $1 * interval '24 hours'`,
      [days],
    );
  }
}
