import { Injectable } from '@nestjs/common';
import { MoreThan } from 'typeorm';
import { newId } from '../../../kernel/ids.js';
import { Database } from '../../../platform/database/database.js';
import type { Tx } from '../../../platform/database/tx.js';
import type { SealedSecrets } from '../../../platform/security/unopenable.js';
import { Notice } from '../notices.entity.js';
import { SUBSCRIPTIONS_MAX } from './push.domain.js';
import { PushKey, PushSubscription } from './push.entity.js';

const KEY_LOCK = 7_241_005;
const NOW = (): string => `date_trunc('milliseconds', clock_timestamp())`;

export type NewSubscription = Omit<PushSubscription, 'id' | 'createdAt'>;

@Injectable()
export class PushStore {
  constructor(private readonly database: Database) {}

  keys(from: Database | Tx = this.database): Promise<PushKey[]> {
    return from.repository(PushKey).find({ order: { createdAt: 'DESC' } });
  }

  async addKey(
    made: Pick<PushKey, 'id' | 'publicKey' | 'sealedPrivateKey'>,
    isOwn: (key: PushKey) => boolean,
  ) {
    await this.database.transaction(async (tx) => {
      await tx.query('SELECT pg_advisory_xact_lock($1)', [KEY_LOCK]);
      if (!(await this.keys(tx)).some(isOwn))
        await tx.repository(PushKey).insert({ ...made, createdAt: NOW });
    });
  }

  async sealedKeys(after: string | null, limit: number): Promise<SealedSecrets[]> {
    const keys = await this.database.repository(PushKey).find({
      where: after === null ? {} : { id: MoreThan(after) },
      order: { id: 'ASC' },
      take: limit,
    });
    return keys.map(({ id, sealedPrivateKey }) => ({ owner: id, sealed: [sealedPrivateKey] }));
  }

  async sealedKeysInUse(after: string | null, limit: number): Promise<SealedSecrets[]> {
    const keys = await this.sealedKeys(after, limit);
    const used = await this.database.query<{ id: string }>(
      `SELECT id FROM push_keys k WHERE id = ANY ($1::uuid[])
          AND EXISTS (SELECT FROM push_subscriptions s WHERE s.key_id = k.id)`,
      [keys.map(({ owner }) => owner)],
    );
    return keys.filter(({ owner }) => used.some(({ id }) => id === owner));
  }

  async replaceKey(id: string, sealed: string, resealed: string): Promise<void> {
    const stored = { id, sealedPrivateKey: sealed };
    await this.database.repository(PushKey).update(stored, { sealedPrivateKey: resealed });
  }

  of(userId: string, from: Database | Tx = this.database): Promise<PushSubscription[]> {
    return from
      .repository(PushSubscription)
      .find({ where: { userId }, order: { createdAt: 'DESC', id: 'DESC' } });
  }

  find(id: string): Promise<PushSubscription | null> {
    return this.database.repository(PushSubscription).findOneBy({ id });
  }

  /** Only the browser knows its `auth`. */
  async add(subscription: NewSubscription, tx: Tx): Promise<PushSubscription | null> {
    const { userId, sessionId, keyId, endpoint, p256dh, auth, device } = subscription;
    const [row] = await tx.query<{ id: string }>(
      `INSERT INTO push_subscriptions AS s (id, user_id, session_id, key_id, endpoint, p256dh, auth, device, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, ${NOW()})
       ON CONFLICT (endpoint) DO UPDATE
          SET user_id = excluded.user_id, session_id = excluded.session_id, key_id = excluded.key_id,
              p256dh = excluded.p256dh, auth = excluded.auth, device = excluded.device
        WHERE s.user_id = excluded.user_id OR s.auth = excluded.auth
       RETURNING id`,
      [newId(), userId, sessionId, keyId, endpoint, p256dh, auth, device],
    );
    if (!row) return null;
    await tx.query(
      `DELETE FROM push_subscriptions WHERE user_id = $1 AND id <> $2 AND id NOT IN (
         SELECT id FROM push_subscriptions WHERE user_id = $1 AND id <> $2
          ORDER BY created_at DESC, id DESC LIMIT ${SUBSCRIPTIONS_MAX - 1})`,
      [userId, row.id],
    );
    return tx.repository(PushSubscription).findOneByOrFail({ id: row.id });
  }

  async remove(userId: string, id: string, tx: Tx): Promise<boolean> {
    const { affected } = await tx.repository(PushSubscription).delete({ id, userId });
    return affected === 1;
  }

  async drop(id: string): Promise<void> {
    await this.database.repository(PushSubscription).delete({ id });
  }

  async endSessions(userId: string, only: string | null, keep: string | null, tx: Tx): Promise<void> {
    await tx.query(
      `DELETE FROM push_subscriptions WHERE user_id = $1 AND ($2::uuid IS NULL OR session_id = $2)
          AND ($3::uuid IS NULL OR session_id <> $3)`,
      [userId, only, keep],
    );
  }

  async subscribersAmong(userIds: readonly string[], tx: Tx): Promise<ReadonlySet<string>> {
    const rows = await tx.query<{ userId: string }>(
      'SELECT DISTINCT user_id AS "userId" FROM push_subscriptions WHERE user_id = ANY ($1::uuid[])',
      [userIds],
    );
    return new Set(rows.map(({ userId }) => userId));
  }

  noticesOf(userId: string, ids: readonly string[]): Promise<Notice[]> {
    return this.database
      .repository(Notice)
      .createQueryBuilder('notice')
      .where('notice.userId = :userId AND notice.id = ANY (:ids) AND notice.outcome IS NULL', { userId, ids })
      .orderBy('notice.id')
      .getMany();
  }

  /** Locks the budget: one process takes what is due. */
  async budgetOf(
    userId: string,
    tx: Tx,
  ): Promise<{ readonly used: number; readonly renewsInSeconds: number }> {
    const [row] = await tx.query<{ used: number; seconds: number }>(
      `INSERT INTO push_budgets AS b (user_id, hour, pushes) VALUES ($1, date_trunc('hour', clock_timestamp()), 0)
       ON CONFLICT (user_id) DO UPDATE
          SET hour = excluded.hour, pushes = CASE WHEN b.hour = excluded.hour THEN b.pushes ELSE 0 END
       RETURNING pushes AS used, ceil(3600 - extract(epoch FROM clock_timestamp() - hour))::integer AS seconds`,
      [userId],
    );
    return { used: row?.used ?? 0, renewsInSeconds: Math.max(1, row?.seconds ?? 1) };
  }

  /** Oldest first. */
  async takeDue(userId: string, tx: Tx): Promise<string[]> {
    const taken = await tx.query<{ id: string; isOpen: boolean }>(
      `UPDATE notices SET push_due = false WHERE user_id = $1 AND push_due RETURNING id, outcome IS NULL AS "isOpen"`,
      [userId],
    );
    return taken
      .filter(({ isOpen }) => isOpen)
      .map(({ id }) => id)
      .sort();
  }

  async spend(userId: string, pushes: number, tx: Tx): Promise<void> {
    await tx.query('UPDATE push_budgets SET pushes = pushes + $2 WHERE user_id = $1', [userId, pushes]);
  }
}
