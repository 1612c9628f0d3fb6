import { Injectable } from '@nestjs/common';
import { AppError } from '../../../kernel/errors.js';
import { Database } from '../../../platform/database/database.js';
import { violates } from '../../../platform/database/failures.js';
import type { Tx } from '../../../platform/database/tx.js';
import { User } from '../identity.entity.js';
import type { Prover } from '../identity.port.js';
import { type ChallengePurpose, Passkey, PasskeyChallenge } from './passkeys.entity.js';

const CHALLENGE_MINUTES = 5;
const OPEN_CHALLENGES_MAX = 20;
const CLEARED_AT_ONCE_MAX = 20;

export interface Challenge extends Prover {
  readonly challenge: Buffer;
  readonly purpose: ChallengePurpose;
}

@Injectable()
export class PasskeysStore {
  constructor(private readonly database: Database) {}

  list(userId: string): Promise<Passkey[]> {
    return this.database
      .repository(Passkey)
      .find({ where: { userId }, order: { createdAt: 'ASC', id: 'ASC' } });
  }

  count(userId: string, tx?: Tx): Promise<number> {
    return (tx ?? this.database).repository(Passkey).countBy({ userId });
  }

  /** Until `tx` ends. */
  async lockUser(userId: string, tx: Tx): Promise<void> {
    await tx.repository(User).findOne({ where: { id: userId }, lock: { mode: 'pessimistic_write' } });
  }

  /** Throws `RATE_LIMITED`. Deletes some that expired. */
  async addChallenge({ challenge, userId, sessionId, purpose }: Challenge, tx: Tx): Promise<void> {
    await this.lockUser(userId, tx);
    await tx.query('DELETE FROM passkey_challenges WHERE user_id = $1 AND expires_at <= clock_timestamp()', [
      userId,
    ]);
    await tx.query(
      `DELETE FROM passkey_challenges WHERE challenge IN (
         SELECT challenge FROM passkey_challenges WHERE expires_at < statement_timestamp()
          LIMIT ${CLEARED_AT_ONCE_MAX} FOR UPDATE SKIP LOCKED)`,
    );
    const challenges = tx.repository(PasskeyChallenge);
    if ((await challenges.countBy({ userId })) >= OPEN_CHALLENGES_MAX) {
      const retryAfterSeconds = CHALLENGE_MINUTES * 60;
      throw new AppError('RATE_LIMITED', `Too many attempts. Try again in ${retryAfterSeconds} s.`, {
        retryAfterSeconds,
      });
    }
    const expiresAt = () => `clock_timestamp() + interval '${CHALLENGE_MINUTES} minutes'`;
    await challenges.insert({ challenge, userId, sessionId, purpose, expiresAt });
  }

  /** True once. */
  async consumeChallenge({ challenge, userId, sessionId, purpose }: Challenge): Promise<boolean> {
    const consumed = await this.database.query(
      `DELETE FROM passkey_challenges
        WHERE challenge = $1 AND user_id = $2 AND session_id IS NOT DISTINCT FROM $3::uuid AND purpose = $4
          AND expires_at > clock_timestamp()
        RETURNING 1`,
      [challenge, userId, sessionId, purpose],
    );
    return consumed.length > 0;
  }

  lock(userId: string, credentialId: Buffer, tx: Tx): Promise<Passkey | null> {
    const where = { userId, credentialId };
    return tx.repository(Passkey).findOne({ where, lock: { mode: 'pessimistic_write' } });
  }

  async noteUse(id: string, counter: number, tx: Tx): Promise<void> {
    await tx.repository(Passkey).update({ id }, { counter, lastUsedAt: () => 'clock_timestamp()' });
  }

  async add(passkey: Omit<Passkey, 'createdAt' | 'lastUsedAt'>, tx: Tx): Promise<Passkey> {
    const passkeys = tx.repository(Passkey);
    try {
      await passkeys.insert({ ...passkey, createdAt: () => `date_trunc('milliseconds', clock_timestamp())` });
    } catch (error) {
      if (!violates(error, 'passkeys_credential_id_key')) throw error;
      throw new AppError('INVALID_PASSKEY', 'This passkey is registered already.');
    }
    return passkeys.findOneByOrFail({ id: passkey.id });
  }

  /** Returns the former state. */
  async rename(userId: string, id: string, name: string, tx: Tx): Promise<Passkey | null> {
    const passkeys = tx.repository(Passkey);
    const passkey = await passkeys.findOne({ where: { userId, id }, lock: { mode: 'pessimistic_write' } });
    if (passkey) await passkeys.update({ id }, { name });
    return passkey;
  }

  async remove(userId: string, id: string, tx: Tx): Promise<Passkey | null> {
    const passkeys = tx.repository(Passkey);
    const passkey = await passkeys.findOneBy({ userId, id });
    return passkey && (await passkeys.delete({ userId, id })).affected === 1 ? passkey : null;
  }
}
