import { Injectable } from '@nestjs/common';
import { Database, type Tx, violates } from '../../platform/database/database.js';
import { AppError } from '../../kernel/errors.js';
import { isUuid } from '../../kernel/text.js';
import { type AccountType, Users } from './identity.port.js';

/** A user as stored; e-mails are trimmed and lower case. */
export interface UserRow {
  readonly id: string;
  readonly email: string;
  readonly passwordHash: string;
  readonly accountType: AccountType;
  readonly createdAt: Date;
}

const USER = `id, email, password_hash AS "passwordHash", account_type AS "accountType", created_at AS "createdAt"`;

@Injectable()
export class IdentityStore extends Users {
  constructor(private readonly database: Database) {
    super();
  }

  /** Throws `EMAIL_ALREADY_REGISTERED` when another user has the e-mail, also one who signs up right now. */
  async addUser(user: Omit<UserRow, 'createdAt'>, tx: Tx): Promise<UserRow> {
    try {
      const [row] = await tx.query<UserRow>(
        `INSERT INTO users (id, email, password_hash, account_type, created_at)
         VALUES ($1, $2, $3, $4, date_trunc('milliseconds', clock_timestamp())) RETURNING ${USER}`,
        [user.id, user.email, user.passwordHash, user.accountType],
      );
      return row as UserRow;
    } catch (error) {
      if (violates(error, 'users_email_key')) {
        throw new AppError('EMAIL_ALREADY_REGISTERED', 'This e-mail is already registered. Log in instead.');
      }
      throw error;
    }
  }

  async findUser(email: string): Promise<UserRow | undefined> {
    const [row] = await this.database.query<UserRow>(`SELECT ${USER} FROM users WHERE email = $1`, [email]);
    return row;
  }

  async userOf(userId: string): Promise<UserRow> {
    const [row] = await this.database.query<UserRow>(`SELECT ${USER} FROM users WHERE id = $1`, [userId]);
    if (!row) throw new Error(`no user ${userId}`);
    return row;
  }

  async exists(userId: string): Promise<boolean> {
    return (
      isUuid(userId) && (await this.database.query('SELECT 1 FROM users WHERE id = $1', [userId])).length > 0
    );
  }

  async emailOf(userId: string): Promise<string> {
    const [row] = await this.database.query<{ email: string }>('SELECT email FROM users WHERE id = $1', [
      userId,
    ]);
    if (!row) throw new Error(`no user ${userId}`);
    return row.email;
  }

  /** Starts a session that lives for `seconds`. Sessions that have expired are cleared away, a few at a time. */
  async startSession(id: string, userId: string, seconds: number, tx: Tx): Promise<void> {
    await tx.query(
      `INSERT INTO sessions (id, user_id, expires_at) VALUES ($1, $2, clock_timestamp() + $3 * interval '1 second')`,
      [id, userId, seconds],
    );
    await tx.query(
      `DELETE FROM sessions WHERE id IN
         (SELECT id FROM sessions WHERE expires_at < clock_timestamp() LIMIT 10 FOR UPDATE SKIP LOCKED)`,
    );
  }

  async findSession(id: string, userId: string): Promise<{ isOperator: boolean } | undefined> {
    const [row] = await this.database.query<{ isOperator: boolean }>(
      `SELECT u.is_operator AS "isOperator" FROM sessions s JOIN users u ON u.id = s.user_id
        WHERE s.id = $1 AND s.user_id = $2 AND s.expires_at > clock_timestamp()`,
      [id, userId],
    );
    return row;
  }

  async endSession(id: string): Promise<void> {
    await this.database.query('DELETE FROM sessions WHERE id = $1', [id]);
  }
}
