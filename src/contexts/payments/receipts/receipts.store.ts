import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { Database } from '../../../platform/database/database.js';
import type { Tx } from '../../../platform/database/tx.js';
import { ReceiptKey } from './receipts.entity.js';

/** The class of the advisory lock under which keys change. */
const ROTATION_LOCK = 7_241_003;
/** With a new key every 90 days no service reaches it. */
const KEYS_SHOWN_MAX = 1_000;

/** A new key, sealed. */
export type NewReceiptKey = Pick<ReceiptKey, 'kid' | 'publicKey'> & { readonly sealedPrivateKey: string };

@Injectable()
export class ReceiptsStore {
  constructor(private readonly database: Database) {}

  /** The key that signs, and whether it is older than `days`. */
  async active(days: number): Promise<{ key: ReceiptKey; isOld: boolean } | null> {
    const { entities, raw } = await this.database
      .repository(ReceiptKey)
      .createQueryBuilder('key')
      .addSelect(`key.createdAt <= clock_timestamp() - :days * interval '24 hours'`, 'is_old')
      .where('key.retiredAt IS NULL')
      .setParameters({ days })
      .getRawAndEntities<{ is_old: boolean }>();
    const [key] = entities;
    return key ? { key, isOld: raw[0]?.is_old === true } : null;
  }

  /** Every key there ever was, newest first. */
  all(): Promise<ReceiptKey[]> {
    return this.database.reads
      .repository(ReceiptKey)
      .find({ order: { createdAt: 'DESC' }, take: KEYS_SHOWN_MAX });
  }

  /**
   * Retires the key `from`, null when there is none, and puts `to` in its place; answers the one that signs then. When
   * another replica was faster, that is the other's.
   */
  async rotate(from: string | null, to: NewReceiptKey): Promise<ReceiptKey> {
    return this.database.transaction(async (tx: Tx) => {
      await tx.query('SELECT pg_advisory_xact_lock($1)', [ROTATION_LOCK]);
      const keys = tx.repository(ReceiptKey);
      const active = await keys.findOneBy({ retiredAt: IsNull() });
      if (active && active.kid !== from) return active;
      const [clock] = await tx.query<{ now: Date }>(
        `SELECT date_trunc('milliseconds', clock_timestamp()) AS now`,
      );
      const { now } = clock as { now: Date };
      if (active) await keys.update({ kid: active.kid }, { retiredAt: now, sealedPrivateKey: null });
      const key = { ...to, createdAt: now, retiredAt: null };
      await keys.insert(key);
      return key;
    });
  }
}
