import { Injectable } from '@nestjs/common';
import { isUuid } from '../../../kernel/text.js';
import { Database } from '../../../platform/database/database.js';
import type { Tx } from '../../../platform/database/tx.js';
import { IdentityStore } from '../identity.store.js';
import { SECOND_FACTORS } from '../two-factor/two-factor.store.js';
import { type OperatedUser, Operators } from './operators.port.js';

const LISTED_MAX = 100;

const USER_COLUMNS = `u.id, u.email, coalesce(u.account_id, u.id) AS "accountId", coalesce(u.role, 'owner') AS role,
  u.is_operator AS "isOperator", u.suspended_at AS "suspendedAt", u.created_at AS "createdAt",
  EXISTS (SELECT FROM ${SECOND_FACTORS} f WHERE f.user_id = u.id) AS "hasTwoFactor"`;

@Injectable()
export class OperatorsStore implements Operators {
  constructor(
    private readonly database: Database,
    private readonly users: IdentityStore,
  ) {}

  find(keys: readonly string[], limit: number): Promise<readonly OperatedUser[]> {
    return this.database.reads.query<OperatedUser>(
      `SELECT ${USER_COLUMNS} FROM users u
        WHERE u.id = ANY ($1::uuid[]) OR u.account_id = ANY ($1::uuid[]) OR u.email = ANY ($2::text[])
        ORDER BY u.created_at DESC LIMIT $3`,
      [keys.filter(isUuid), keys.map((key) => key.toLowerCase()), limit],
    );
  }

  list(): Promise<readonly OperatedUser[]> {
    return this.database.query<OperatedUser>(
      `SELECT ${USER_COLUMNS} FROM users u WHERE u.is_operator ORDER BY u.email LIMIT ${LISTED_MAX}`,
    );
  }

  async lock(idOrEmail: string, tx: Tx): Promise<OperatedUser | null> {
    const [user] = await tx.query<OperatedUser>(
      `SELECT ${USER_COLUMNS} FROM users u WHERE u.id = $1::uuid OR u.email = $2 LIMIT 1 FOR UPDATE`,
      [isUuid(idOrEmail) ? idOrEmail : null, idOrEmail.trim().toLowerCase()],
    );
    return user ?? null;
  }

  async setOperator(userId: string, isOperator: boolean, tx: Tx): Promise<void> {
    await tx.query('UPDATE users SET is_operator = $2 WHERE id = $1', [userId, isOperator]);
  }

  async setSuspended(userId: string, isSuspended: boolean, tx: Tx): Promise<void> {
    await tx.query('UPDATE users SET suspended_at = CASE WHEN $2 THEN clock_timestamp() END WHERE id = $1', [
      userId,
      isSuspended,
    ]);
    // A sign-in under way holds the user's row until its session is stored.
    if (isSuspended) await this.users.endSessions(userId, null, tx);
  }
}
