import { Injectable } from '@nestjs/common';
import { AppError } from '../../../kernel/errors.js';
import { isUuid } from '../../../kernel/text.js';
import { Database } from '../../../platform/database/database.js';
import type { Tx } from '../../../platform/database/tx.js';
import { Events } from '../../../platform/events/events.js';
import type { Session } from '../identity.entity.js';
import { AccountActed, SecurityChanged } from '../identity.events.js';
import { type Actor, type SessionUser, TwoFactor } from '../identity.port.js';
import { IdentityStore } from '../identity.store.js';
import { LoginLimits } from '../login-limits.js';
import { Passwords } from '../passwords.js';

const SESSIONS_SHOWN_MAX = 100;

export interface PasswordProof {
  readonly password: string;
  readonly address: string;
}

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

  /** Throws `WRONG_PASSWORD` and `RATE_LIMITED`. */
  async requirePassword(userId: string, { password, address }: PasswordProof): Promise<string> {
    const { email, passwordHash } = await this.store.userOf(userId);
    await this.limits.password(email, address, async () => {
      if (!(await this.passwords.isRight(passwordHash, password))) throw wrongPassword();
    });
    return passwordHash;
  }

  /** Ends all other sessions and reset links. */
  async changePassword(
    session: SessionUser,
    current: PasswordProof,
    newPassword: string,
    proof: string | undefined,
  ): Promise<void> {
    const { userId, sessionId } = session;
    const verified = await this.requirePassword(userId, current);
    await this.twoFactor.verify(session, proof);
    const passwordHash = await this.passwords.hash(newPassword);
    await this.database.transaction(async (tx) => {
      const user = await this.store.lockUser(userId, 'pessimistic_write', tx);
      if (user?.passwordHash !== verified) throw wrongPassword();
      await this.replacePassword(userId, passwordHash, sessionId, tx);
      await this.events.publish([new SecurityChanged({ userId, change: 'password-changed' })], tx);
    });
  }

  async replacePassword(userId: string, passwordHash: string, keep: string | null, tx: Tx): Promise<void> {
    await this.store.setPassword(userId, passwordHash, tx);
    await this.store.endSessions(userId, keep, tx);
    await this.store.dropResets(userId, tx);
  }

  sessions(userId: string): Promise<readonly Session[]> {
    return this.store.sessionsOf(userId, SESSIONS_SHOWN_MAX);
  }

  /** On every replica. Throws `SESSION_NOT_FOUND`. */
  async endSession({ userId, accountId }: Actor, sessionId: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      if (!isUuid(sessionId) || !(await this.store.endSession(sessionId.toLowerCase(), userId, tx))) {
        throw new AppError('SESSION_NOT_FOUND', 'Session not found.');
      }
      const acted = { accountId, userId, act: 'session.ended', subject: sessionId };
      await this.events.publish([new AccountActed(acted)], tx);
    });
  }

  /** This one included, on every replica. */
  async endAllSessions({ userId, accountId }: Actor): Promise<void> {
    await this.database.transaction(async (tx) => {
      // A concurrent login ends here too, or begins later.
      await this.store.lockUser(userId, 'pessimistic_write', tx);
      await this.store.endSessions(userId, null, tx);
      await this.events.publish([new AccountActed({ accountId, userId, act: 'session.all-ended' })], tx);
    });
  }
}

function wrongPassword(): AppError {
  return new AppError('WRONG_PASSWORD', 'The current password is wrong.');
}
