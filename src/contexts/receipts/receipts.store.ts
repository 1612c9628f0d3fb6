import { Injectable } from '@nestjs/common';
import { In, IsNull, MoreThan, Not, Or } from 'typeorm';
import { newId } from '../../kernel/ids.js';
import { Database } from '../../platform/database/database.js';
import type { Tx } from '../../platform/database/tx.js';
import type { SealedSecrets } from '../../platform/security/unopenable.js';
import { ReceiptKey, ReceiptSaltKey } from './receipts.entity.js';

const ROTATION_LOCK = 7_241_003;
const NOW = (): string => `date_trunc('milliseconds', clock_timestamp())`;

export type NewReceiptKey = Pick<ReceiptKey, 'kid' | 'publicKey'> & { readonly sealedPrivateKey: string };

export interface SigningKey {
  readonly key: ReceiptKey;
  readonly isOld: boolean;
}

type IsOwn = (key: ReceiptKey) => boolean;

/** `sealedBy`: fingerprints of the secrets in use, newest first. */
@Injectable()
export class ReceiptsStore {
  constructor(private readonly database: Database) {}

  /** Null if none. */
  async signing(sealedBy: readonly string[], isOwn: IsOwn, days: number): Promise<SigningKey | null> {
    const { entities, raw } = await this.database
      .repository(ReceiptKey)
      .createQueryBuilder('key')
      .addSelect(`key.createdAt <= clock_timestamp() - :days * interval '24 hours'`, 'is_old')
      .where('key.retiredAt IS NULL AND (key.sealedBy IN (:...sealedBy) OR key.sealedBy IS NULL)')
      .orderBy('key.createdAt', 'DESC')
      .setParameters({ days, sealedBy })
      .getRawAndEntities<{ is_old: boolean }>();
    const i = entities.findIndex(isOwn);
    const key = entities[i];
    return key ? { key, isOld: raw[i]?.is_old === true } : null;
  }

  /** Omitting one would void its receipts. */
  all(): Promise<ReceiptKey[]> {
    return this.database.reads.repository(ReceiptKey).find({ order: { createdAt: 'DESC' } });
  }

  /** Stores `made` unless a key of these secrets signs. */
  async renew(days: number, sealedBy: readonly string[], isOwn: IsOwn, made: NewReceiptKey): Promise<void> {
    await this.locked(async (tx) => {
      await tx.query(`${RETIRE} AND created_at <= clock_timestamp() - $1 * interval '24 hours'`, [days]);
      const signing = await tx
        .repository(ReceiptKey)
        .findBy({ retiredAt: IsNull(), sealedBy: Or(In(sealedBy), IsNull()) });
      if (!signing.some(isOwn)) await this.insert(made, sealedBy, tx);
    });
  }

  /** Retires every key, for `made`. */
  async replaceAll(sealedBy: readonly string[], made: NewReceiptKey): Promise<void> {
    await this.locked(async (tx) => {
      await tx.query(RETIRE);
      await this.insert(made, sealedBy, tx);
    });
  }

  /** False if it is unknown or revoked already. */
  async revoke(kid: string, reason: string): Promise<boolean> {
    return this.locked(async (tx) => {
      await tx.query(`${RETIRE} AND kid = $1`, [kid]);
      const { affected } = await tx
        .repository(ReceiptKey)
        .update({ kid, revokedAt: IsNull() }, { revokedAt: NOW, revokedReason: reason });
      return affected === 1;
    });
  }

  async sealedKeys(after: string | null, limit: number): Promise<SealedSecrets[]> {
    const keys = await this.database.reads.repository(ReceiptKey).find({
      where: { sealedPrivateKey: Not(IsNull()), ...(after !== null && { kid: MoreThan(after) }) },
      order: { kid: 'ASC' },
      take: limit,
    });
    return keys.map(({ kid, sealedPrivateKey }) => ({ owner: kid, sealed: [sealedPrivateKey ?? ''] }));
  }

  async replaceSealed(
    kid: string,
    sealed: string,
    resealed: string,
    [newest = '']: readonly string[],
  ): Promise<void> {
    await this.locked(async (tx) => {
      const keys = tx.repository(ReceiptKey);
      if (await keys.existsBy({ kid: Not(kid), sealedBy: newest, retiredAt: IsNull() })) {
        await tx.query(`${RETIRE} AND kid = $1`, [kid]);
        return;
      }
      const stored = { kid, sealedPrivateKey: sealed };
      await keys.update(stored, { sealedPrivateKey: resealed, sealedBy: newest });
    });
  }

  saltKeys(): Promise<ReceiptSaltKey[]> {
    return this.database.repository(ReceiptSaltKey).find({ order: { createdAt: 'ASC' } });
  }

  /** Unless another process was faster. */
  async addSaltKey(sealedKey: string, isOwn: (key: ReceiptSaltKey) => boolean): Promise<void> {
    await this.locked(async (tx) => {
      const keys = tx.repository(ReceiptSaltKey);
      if (!(await keys.find()).some(isOwn)) await keys.insert({ id: newId(), sealedKey, createdAt: NOW });
    });
  }

  async replaceSaltKey({ id, sealedKey }: ReceiptSaltKey, resealed: string): Promise<void> {
    await this.database.repository(ReceiptSaltKey).update({ id, sealedKey }, { sealedKey: resealed });
  }

  /** For one process at a time. */
  private locked<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.database.transaction(async (tx) => {
      await tx.query('SELECT pg_advisory_xact_lock($1)', [ROTATION_LOCK]);
      return work(tx);
    });
  }

  private async insert(made: NewReceiptKey, sealedBy: readonly string[], tx: Tx): Promise<void> {
    await tx.repository(ReceiptKey).insert({ ...made, sealedBy: sealedBy[0] ?? null, createdAt: NOW });
  }
}

/** Erases the private halves. */
const RETIRE = `UPDATE receipt_keys SET retired_at = ${NOW()}, sealed_private_key = NULL WHERE retired_at IS NULL`;
