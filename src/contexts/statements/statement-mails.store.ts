import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { Tx } from '../../platform/database/tx.js';
import { StatementMail } from './statements.entity.js';

@Injectable()
export class StatementMailsStore {
  constructor(private readonly database: Database) {}

  wants(userId: string, accountId: string): Promise<boolean> {
    return this.database.repository(StatementMail).existsBy({ userId, accountId });
  }

  async add(userId: string, accountId: string, mailedMonth: string): Promise<void> {
    await this.database.repository(StatementMail).upsert({ userId, accountId, mailedMonth }, ['userId']);
  }

  async remove(userId: string): Promise<void> {
    await this.database.repository(StatementMail).delete({ userId });
  }

  async accountsBehind(month: string, after: string | null, limit: number): Promise<string[]> {
    const rows = await this.database.query<{ accountId: string }>(
      `SELECT DISTINCT account_id AS "accountId" FROM statement_mails
        WHERE mailed_month < $1 AND ($2::uuid IS NULL OR account_id > $2) ORDER BY account_id LIMIT $3`,
      [month, after, limit],
    );
    return rows.map(({ accountId }) => accountId);
  }

  /** Returns user ids. */
  async take(accountId: string, month: string, tx: Tx): Promise<string[]> {
    const rows = await tx.query<{ userId: string }>(
      `UPDATE statement_mails SET mailed_month = $2 WHERE account_id = $1 AND mailed_month < $2
       RETURNING user_id AS "userId"`,
      [accountId, month],
    );
    return rows.map(({ userId }) => userId);
  }
}
