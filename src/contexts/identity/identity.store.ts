import { Injectable } from '@nestjs/common';
import { IsNull, Not, type Repository } from 'typeorm';
import { Database } from '../../platform/database/database.js';
import type { Queryable, Tx } from '../../platform/database/tx.js';
import { violates } from '../../platform/database/failures.js';
import { AppError, validationError } from '../../kernel/errors.js';
import { isUuid } from '../../kernel/text.js';
import { Events } from '../../platform/events/events.js';
import { AccountTimeZone, PasswordReset, Session, User } from './identity.entity.js';
import { SessionsEnded } from './identity.events.js';
import { type Act, can, type Role } from './permissions.port.js';
import { type Member, type Sessions, type SessionUser, Users } from './identity.port.js';

export interface Client {
  readonly address: string;
  readonly userAgent: string | null;
}

const DEMANDS =
  'LEFT JOIN two_factor_demands demand ON demand.account_id = coalesce(owner.account_id, owner.id)';
const DEMANDS_ON_SESSIONS = `sessions session JOIN users owner ON owner.id = session.user_id ${DEMANDS}`;
const LACKS_DEMANDED_FACTOR = `CASE WHEN demand.account_id IS NULL THEN false ELSE
                NOT EXISTS (SELECT FROM two_factors f WHERE f.user_id = owner.id AND f.confirmed_at IS NOT NULL)
                AND NOT EXISTS (SELECT FROM passkeys p WHERE p.user_id = owner.id) END`;

const DEFAULT_TIME_ZONE = 'Africa/Lagos';

type SessionRights = Omit<SessionUser, 'userId' | 'sessionId'>;

@Injectable()
export class IdentityStore extends Users implements Sessions {
  constructor(
    private readonly database: Database,
    private readonly events: Events,
  ) {
    super();
  }

  /** Throws `EMAIL_ALREADY_REGISTERED`, also in a race. */
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

  async emailsOf(userIds: readonly string[], from: Queryable): Promise<ReadonlyMap<string, string>> {
    const users = await from.query<Pick<User, 'id' | 'email'>>(
      'SELECT id, email FROM users WHERE id = ANY ($1::uuid[])',
      [userIds],
    );
    return new Map(users.map(({ id, email }) => [id, email]));
  }

  async allowedAmong(accountId: string, userIds: readonly string[], act: Act, tx: Tx): Promise<string[]> {
    const users = await tx.query<{ id: string; role: Role }>(
      `SELECT id, coalesce(role, 'owner') AS role FROM users
        WHERE id = ANY ($2::uuid[]) AND coalesce(account_id, id) = $1 AND suspended_at IS NULL`,
      [accountId, userIds],
    );
    return users.filter(({ role }) => can(role, act)).map(({ id }) => id);
  }

  async ownerEmails(accountId: string): Promise<readonly string[]> {
    const owners = await this.database.query<{ email: string }>(
      `SELECT email FROM users
        WHERE (account_id = $1 OR (id = $1 AND account_id IS NULL)) AND coalesce(role, 'owner') = 'owner'`,
      [accountId],
    );
    return owners.map(({ email }) => email);
  }

  membersOf(accountIds: readonly string[]): Promise<Member[]> {
    return this.database.query<Member>(
      `SELECT owner.id AS "userId", coalesce(owner.account_id, owner.id) AS "accountId",
              coalesce(owner.role, 'owner') AS role, ${LACKS_DEMANDED_FACTOR} AS "mustSetUpTwoFactor"
         FROM users owner ${DEMANDS}
        WHERE owner.account_id = ANY ($1::uuid[]) OR (owner.id = ANY ($1::uuid[]) AND owner.account_id IS NULL)`,
      [accountIds],
    );
  }

  async accountOf(userId: string, tx: Tx): Promise<string> {
    const { id, accountId } = await tx.repository(User).findOneByOrFail({ id: userId });
    return accountId ?? id;
  }

  async timeZoneOf(accountId: string): Promise<string> {
    const found = await this.database.repository(AccountTimeZone).findOneBy({ accountId });
    return found?.timeZone ?? DEFAULT_TIME_ZONE;
  }

  /** Returns the former one. Throws `VALIDATION_ERROR`. */
  async setTimeZone(accountId: string, timeZone: string, tx: Tx): Promise<string> {
    const [known] = await tx.query('SELECT FROM pg_timezone_names WHERE lower(name) = lower($1)', [timeZone]);
    if (!known) throw validationError({ field: 'timeZone', message: 'is no time zone of the database' });
    const zones = tx.repository(AccountTimeZone);
    const first = { accountId, timeZone: DEFAULT_TIME_ZONE };
    await zones.createQueryBuilder().insert().values(first).orIgnore().execute();
    const before = await zones.findOneOrFail({ where: { accountId }, lock: { mode: 'pessimistic_write' } });
    await zones.update({ accountId }, { timeZone });
    return before.timeZone;
  }

  /** Locks the password until `tx` ends. */
  lockUser(userId: string, mode: 'pessimistic_read' | 'pessimistic_write', tx: Tx): Promise<User | null> {
    return tx.repository(User).findOne({ where: { id: userId }, lock: { mode } });
  }

  async setPassword(userId: string, passwordHash: string, tx: Tx): Promise<void> {
    await tx.repository(User).update({ id: userId }, { passwordHash });
  }

  /** True if another session of the user has this browser and address. */
  knowsClient(userId: string, { address, userAgent }: Client, tx: Tx): Promise<boolean> {
    return tx.repository(Session).existsBy({
      userId,
      address,
      userAgent: userAgent === null ? IsNull() : userAgent,
    });
  }

  /** Lives for `seconds`. Deletes some expired sessions. */
  async startSession(id: string, userId: string, client: Client, seconds: number, tx: Tx): Promise<void> {
    const sessions = tx.repository(Session);
    await sessions
      .createQueryBuilder()
      .insert()
      .values({
        id,
        userId,
        address: client.address,
        userAgent: client.userAgent,
        createdAt: () => `date_trunc('milliseconds', clock_timestamp())`,
        expiresAt: () => `clock_timestamp() + :seconds * interval '1 second'`,
      })
      .setParameter('seconds', seconds)
      .execute();
    await deleteExpired(sessions);
  }

  /** Undefined if ended, expired or unknown. */
  async findSession(id: string, userId: string): Promise<SessionRights | undefined> {
    const [session] = await this.database.query<SessionRights>(
      `SELECT owner.is_operator AS "isOperator", coalesce(owner.account_id, owner.id) AS "accountId",
              coalesce(owner.role, 'owner') AS role, demand.account_id IS NOT NULL AS "isTwoFactorDemanded",
              ${LACKS_DEMANDED_FACTOR} AS "mustSetUpTwoFactor"
         FROM ${DEMANDS_ON_SESSIONS}
        WHERE session.id = $1 AND session.user_id = $2 AND session.expires_at > clock_timestamp()`,
      [id, userId],
    );
    return session;
  }

  async liveAmong(sessionIds: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.database.reads.query<{ id: string }>(
      `SELECT session.id FROM ${DEMANDS_ON_SESSIONS}
        WHERE session.id = ANY ($1::uuid[]) AND session.expires_at > clock_timestamp()
          AND NOT ${LACKS_DEMANDED_FACTOR}`,
      [sessionIds],
    );
    return new Set(rows.map(({ id }) => id));
  }

  sessionsOf(userId: string, max: number): Promise<Session[]> {
    return this.database
      .repository(Session)
      .createQueryBuilder('session')
      .where('session.userId = :userId AND session.expiresAt > clock_timestamp()', { userId })
      .orderBy({ 'session.createdAt': 'DESC', 'session.id': 'DESC' })
      .limit(max)
      .getMany();
  }

  async holdSession(sessionId: string, tx: Tx): Promise<boolean> {
    const held = await tx.query('SELECT FROM sessions WHERE id = $1 FOR KEY SHARE', [sessionId]);
    return held.length > 0;
  }

  async endSession(id: string, userId: string, tx: Tx): Promise<boolean> {
    const { affected } = await tx
      .repository(Session)
      .createQueryBuilder()
      .delete()
      .where({ id, userId })
      .andWhere('expires_at > clock_timestamp()')
      .execute();
    if (affected !== 1) return false;
    await this.events.publish([new SessionsEnded({ userId, sessionId: id, kept: null })], tx);
    return true;
  }

  /** Ends all but one, on every replica; that one loses its step-up. */
  async endSessions(userId: string, keep: string | null, tx: Tx): Promise<void> {
    const sessions = tx.repository(Session);
    await sessions.delete({ userId, ...(keep !== null && { id: Not(keep) }) });
    if (keep !== null) await sessions.update({ id: keep, userId }, { secondFactorAt: null });
    await this.events.publish([new SessionsEnded({ userId, sessionId: null, kept: keep })], tx);
  }

  async addReset(id: string, userId: string, seconds: number): Promise<void> {
    const resets = this.database.repository(PasswordReset);
    await resets
      .createQueryBuilder()
      .insert()
      .values({ id, userId, expiresAt: () => `clock_timestamp() + :seconds * interval '1 second'` })
      .setParameter('seconds', seconds)
      .execute();
    await deleteExpired(resets);
  }

  hasReset(id: string, userId: string): Promise<boolean> {
    return this.database
      .repository(PasswordReset)
      .createQueryBuilder('reset')
      .where({ id, userId })
      .andWhere('reset.expiresAt > clock_timestamp()')
      .getExists();
  }

  async consumeReset(id: string, userId: string, tx: Tx): Promise<boolean> {
    const { affected } = await tx
      .repository(PasswordReset)
      .createQueryBuilder()
      .delete()
      .where({ id, userId })
      .andWhere('expires_at > clock_timestamp()')
      .execute();
    return affected === 1;
  }

  async dropResets(userId: string, tx: Tx): Promise<void> {
    await tx.repository(PasswordReset).delete({ userId });
  }
}

async function deleteExpired(
  rows: Pick<Repository<Session | PasswordReset>, 'createQueryBuilder' | 'metadata'>,
) {
  const { tableName } = rows.metadata;
  await rows
    .createQueryBuilder()
    .delete()
    .where(
      `id IN (SELECT id FROM ${tableName} WHERE expires_at < statement_timestamp() LIMIT 10 FOR UPDATE SKIP LOCKED)`,
    )
    .execute();
}
