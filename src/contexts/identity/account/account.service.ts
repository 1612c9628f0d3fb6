import { Injectable } from '@nestjs/common';
import { AppError } from '../../../kernel/errors.js';
import { isUuid } from '../../../kernel/text.js';
import { Database } from '../../../platform/database/database.js';
import type { Tx } from '../../../platform/database/tx.js';
import { Events } from '../../../platform/events/events.js';
import type { Session } from '../identity.entity.js';
import { SecurityChanged } from '../identity.events.js';
import { type SessionUser, TwoFactor } from '../identity.port.js';
import { IdentityStore } from '../identity.store.js';
import { LoginLimits } from '../login-limits.js';
import { Passwords } from '../passwords.js';

const SESSIONS_SHOWN_MAX = 100;

/** A password of the signed-in user, and where the guess at it comes from. */
export interface PasswordProof {
  readonly password: string;
  readonly address: string;
}

/** What the owner of an account does with it: its password and its sessions. */
@Injectable()
export class AccountService {
  constructor(
    private readonly store: IdentityStore,
    private readonly passwords: Passwords,
    private readonly limits: LoginLimits,
    private readonly twoFactor: TwoFactor,
    private readonly database: Database,
    private readonly events: Events,
  ) {}

  /**
   * Throws `WRONG_PASSWORD` unless this is the user's password, and `RATE_LIMITED` after too many wrong ones; answers
   * the hash that it was compared with.
   */
  async requirePassword(userId: string, { password, address }: PasswordProof): Promise<string> {
    const { email, passwordHash } = await this.store.userOf(userId);
    await this.limits.password(email, address, async () => {
      if (!(await this.passwords.isRight(passwordHash, password))) throw wrongPassword();
    });
    return passwordHash;
  }

  /**
   * Sets a new password, and ends all other sessions and every link to reset the old one. Throws `WRONG_PASSWORD`, also
   * when another change was faster, and what the second factor throws.
   */
  async changePassword(
    { userId, sessionId }: SessionUser,
    current: PasswordProof,
    newPassword: string,
    totpCode: string | undefined,
  ): Promise<void> {
    const verified = await this.requirePassword(userId, current);
    await this.twoFactor.verify(userId, totpCode);
    const passwordHash = await this.passwords.hash(newPassword);
    await this.database.transaction(async (tx) => {
      const user = await this.store.lockUser(userId, 'pessimistic_write', tx);
      if (user?.passwordHash !== verified) throw wrongPassword();
      await this.replacePassword(userId, passwordHash, sessionId, tx);
      await this.events.publish([new SecurityChanged({ userId, change: 'password-changed' })], tx);
    });
  }

  /** Sets the password of a user whose row `tx` has locked; of the sessions only `keep` goes on. */
  async replacePassword(userId: string, passwordHash: string, keep: string | null, tx: Tx): Promise<void> {
    await this.store.setPassword(userId, passwordHash, tx);
    await this.store.endSessions(userId, keep, tx);
    await this.store.dropResets(userId, tx);
  }

  /** The newest live sessions. */
  sessions(userId: string): Promise<readonly Session[]> {
    return this.store.sessionsOf(userId, SESSIONS_SHOWN_MAX);
  }

  /** Ends one session at once, on every replica. Throws `SESSION_NOT_FOUND`, also for another user's. */
  async endSession(userId: string, sessionId: string): Promise<void> {
    if (!isUuid(sessionId) || !(await this.store.endSession(sessionId.toLowerCase(), userId))) {
      throw new AppError('SESSION_NOT_FOUND', 'No session of yours has this id.');
    }
  }

  /** Ends all sessions at once, this one included, on every replica. */
  async endAllSessions(userId: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      // A login that is under way ends here too, or begins after it.
      await this.store.lockUser(userId, 'pessimistic_write', tx);
      await this.store.endSessions(userId, null, tx);
    });
  }
}

function wrongPassword(): AppError {
  return new AppError('WRONG_PASSWORD', 'The current password is wrong.');
}
