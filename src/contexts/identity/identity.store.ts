import { Injectable } from '@nestjs/common';
import { Database, type Tx } from '../../platform/database/database.js';
import { violates } from '../../platform/database/failures.js';
import { AppError } from '../../kernel/errors.js';
import { isUuid } from '../../kernel/text.js';
import { Session, User } from './identity.entity.js';
import { Users } from './identity.port.js';

@Injectable()
export class IdentityStore extends Users {
  constructor(private readonly database: Database) {
    super();
  }

  /** Throws `EMAIL_ALREADY_REGISTERED` when another user has the e-mail, also one who signs up right now. */
  async addUser(user: Pick<User, 'id' | 'email' | 'passwordHash' | 'accountType'>, tx: Tx): Promise<User> {
    const { id, email, passwordHash, accountType } = user;
    const users = tx.repository(User);
    try {
      await users
        .createQueryBuilder()
        .insert()
        .values({
          id,
          email,
          passwordHash,
          accountType,
          createdAt: () => `date_trunc('milliseconds', clock_timestamp())`,
        })
        .execute();
    } catch (error) {
      if (violates(error, 'users_email_key')) {
        throw new AppError('EMAIL_ALREADY_REGISTERED', 'This e-mail is already registered. Log in instead.');
      }
      throw error;
    }
    return users.findOneByOrFail({ id });
  }

  findUser(email: string): Promise<User | null> {
    return this.database.repository(User).findOneBy({ email });
  }

  userOf(userId: string): Promise<User> {
    return this.database.repository(User).findOneByOrFail({ id: userId });
  }

  async exists(userId: string): Promise<boolean> {
    return isUuid(userId) && (await this.database.repository(User).existsBy({ id: userId }));
  }

  async emailOf(userId: string): Promise<string> {
    return (await this.userOf(userId)).email;
  }

  /** Starts a session that lives for `seconds`. Sessions that have expired are cleared away, a few at a time. */
  async startSession(id: string, userId: string, seconds: number, tx: Tx): Promise<void> {
    const sessions = tx.repository(Session);
    await sessions
      .createQueryBuilder()
      .insert()
      .values({ id, userId, expiresAt: () => `clock_timestamp() + :seconds * interval '1 second'` })
      .setParameter('seconds', seconds)
      .execute();
    await sessions
      .createQueryBuilder()
      .delete()
      .where(
        `id IN (SELECT id FROM sessions WHERE expires_at < clock_timestamp() LIMIT 10 FOR UPDATE SKIP LOCKED)`,
      )
      .execute();
  }

  /** The live session `id` of this user; undefined when it has ended or expired, or never was. */
  findSession(id: string, userId: string): Promise<{ isOperator: boolean } | undefined> {
    return this.database
      .repository(Session)
      .createQueryBuilder('session')
      .innerJoin(User, 'owner', 'owner.id = session.userId')
      .select('owner.isOperator', 'isOperator')
      .where('session.id = :id AND session.userId = :userId', { id, userId })
      .andWhere('session.expiresAt > clock_timestamp()')
      .getRawOne<{ isOperator: boolean }>();
  }

  async endSession(id: string): Promise<void> {
    await this.database.repository(Session).delete({ id });
  }
}
