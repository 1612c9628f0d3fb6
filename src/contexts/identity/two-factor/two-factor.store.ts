import { Injectable } from '@nestjs/common';
import { type FindOptionsWhere, IsNull, MoreThan, Not } from 'typeorm';
import { databaseNow } from '../../../platform/database/clock.js';
import { Database } from '../../../platform/database/database.js';
import type { Queryable, Tx } from '../../../platform/database/tx.js';
import { AppError } from '../../../kernel/errors.js';
import type { SealedSecrets } from '../../../platform/security/unopenable.js';
import { Session, User } from '../identity.entity.js';
import type { SessionUser } from '../identity.port.js';
import { RecoveryCode, TwoFactorSecret } from './two-factor.entity.js';

/** When each user's oldest factor began. */
export const SECOND_FACTORS = `(SELECT user_id, min(since) AS since FROM (
    SELECT user_id, confirmed_at AS since FROM two_factors WHERE confirmed_at IS NOT NULL
    UNION ALL SELECT user_id, created_at FROM passkeys) factor GROUP BY user_id)`;

@Injectable()
export class TwoFactorStore {
  constructor(private readonly database: Database) {}

  find(userId: string): Promise<TwoFactorSecret | null> {
    return this.database.repository(TwoFactorSecret).findOneBy({ userId });
  }

  /** Confirmed factors, by user id, after `after`. */
  sealedSecrets(after: string | null, limit: number): Promise<SealedSecrets[]> {
    return this.sealedAfter(after, limit, { confirmedAt: Not(IsNull()) });
  }

  allSealedSecrets(after: string | null, limit: number): Promise<SealedSecrets[]> {
    return this.sealedAfter(after, limit, {});
  }

  async replaceSealed(userId: string, sealed: string, resealed: string): Promise<void> {
    const stored = { userId, sealedSecret: sealed };
    await this.database.repository(TwoFactorSecret).update(stored, { sealedSecret: resealed });
  }

  private async sealedAfter(
    after: string | null,
    limit: number,
    where: FindOptionsWhere<TwoFactorSecret>,
  ): Promise<SealedSecrets[]> {
    const factors = await this.database.reads.repository(TwoFactorSecret).find({
      select: { userId: true, sealedSecret: true },
      where: { ...where, ...(after !== null && { userId: MoreThan(after) }) },
      order: { userId: 'ASC' },
      take: limit,
    });
    return factors.map(({ userId, sealedSecret }) => ({ owner: userId, sealed: [sealedSecret] }));
  }

  async since(userId: string, from: Queryable = this.database): Promise<Date | null> {
    const [factors] = await from.query<{ since: Date }>(
      `SELECT since FROM ${SECOND_FACTORS} f WHERE user_id = $1`,
      [userId],
    );
    return factors?.since ?? null;
  }

  countRecoveryCodes(userId: string): Promise<number> {
    return this.database.repository(RecoveryCode).countBy({ userId });
  }

  now(): Promise<Date> {
    return databaseNow(this.database);
  }

  /** False if the factor is on. */
  async propose(userId: string, sealedSecret: string, tx: Tx): Promise<boolean> {
    // Changes queue on the user's row.
    await tx.repository(User).findOne({ where: { id: userId }, lock: { mode: 'pessimistic_write' } });
    const factors = tx.repository(TwoFactorSecret);
    if ((await factors.findOneBy({ userId }))?.confirmedAt) return false;
    await factors.delete({ userId });
    await factors.insert({ userId, sealedSecret });
    return true;
  }

  /** False if replaced or on already. */
  async confirm(userId: string, sealedSecret: string, step: number, tx: Tx): Promise<boolean> {
    await tx.repository(User).findOne({ where: { id: userId }, lock: { mode: 'pessimistic_write' } });
    const { affected } = await tx
      .repository(TwoFactorSecret)
      .createQueryBuilder()
      .update()
      .set({ confirmedAt: () => 'clock_timestamp()', lastStep: step })
      .where({ userId, sealedSecret })
      .andWhere('confirmed_at IS NULL')
      .execute();
    return affected === 1;
  }

  async replaceRecoveryCodes(userId: string, hashes: readonly Buffer[], tx: Tx): Promise<void> {
    const codes = tx.repository(RecoveryCode);
    await codes.delete({ userId });
    await codes.insert(hashes.map((hash) => ({ userId, hash })));
  }

  async renewRecoveryCodes(userId: string, hashes: readonly Buffer[], tx: Tx): Promise<boolean> {
    await tx.repository(User).findOne({ where: { id: userId }, lock: { mode: 'pessimistic_write' } });
    if ((await this.since(userId, tx)) === null) return false;
    await this.replaceRecoveryCodes(userId, hashes, tx);
    return true;
  }

  async noteStepUp({ userId, sessionId }: SessionUser, at: Date): Promise<void> {
    await this.database.repository(Session).update({ id: sessionId, userId }, { secondFactorAt: at });
  }

  async isSteppedUp({ userId, sessionId }: SessionUser, minutes: number): Promise<boolean> {
    const rows = await this.database.query(
      `SELECT 1 FROM sessions s JOIN ${SECOND_FACTORS} f ON f.user_id = s.user_id
        WHERE s.id = $1 AND s.user_id = $2 AND f.user_id = $2 AND s.second_factor_at >= f.since
          AND s.second_factor_at > clock_timestamp() - $3 * interval '1 minute'
          AND s.second_factor_at <= clock_timestamp()`,
      [sessionId, userId, minutes],
    );
    return rows.length > 0;
  }

  /** True for one caller, once per step. */
  async consumeStep(userId: string, step: number): Promise<boolean> {
    const { affected } = await this.database
      .repository(TwoFactorSecret)
      .createQueryBuilder()
      .update()
      .set({ lastStep: step })
      .where({ userId })
      .andWhere('last_step < :step', { step })
      .execute();
    return affected === 1;
  }

  async consumeRecoveryCode(userId: string, hash: Buffer): Promise<boolean> {
    const { affected } = await this.database.repository(RecoveryCode).delete({ userId, hash });
    return affected === 1;
  }

  async remove(userId: string, tx: Tx): Promise<boolean> {
    await tx.repository(User).findOne({ where: { id: userId }, lock: { mode: 'pessimistic_write' } });
    const { affected } = await tx.repository(TwoFactorSecret).delete({ userId });
    return affected === 1;
  }

  /** True if no factor is left; throws `TWO_FACTOR_DEMANDED`. The user's row is locked. */
  async endWithLast(userId: string, tx: Tx): Promise<boolean> {
    if ((await this.since(userId, tx)) !== null) return false;
    const demands = await tx.query(
      `SELECT FROM users u JOIN two_factor_demands d ON d.account_id = coalesce(u.account_id, u.id) WHERE u.id = $1`,
      [userId],
    );
    if (demands.length > 0) {
      throw new AppError(
        'TWO_FACTOR_DEMANDED',
        'Your business demands two-factor authentication: add another passkey or app before you remove the last.',
      );
    }
    await tx.repository(RecoveryCode).delete({ userId });
    return true;
  }
}
