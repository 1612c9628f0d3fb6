import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Queryable, Tx } from '../../../platform/database/tx.js';
import { User } from '../identity.entity.js';
import { IdentityStore } from '../identity.store.js';
import type { Role } from '../permissions.port.js';
import { TwoFactorDemand } from './members.entity.js';

export interface AccountMember {
  readonly userId: string;
  readonly email: string;
  readonly role: Role;
  /** Null: opened the account. */
  readonly joinedAt: Date | null;
}

const ACCOUNT_LOCK = 7_241_003;

@Injectable()
export class MembersStore {
  constructor(
    private readonly database: Database,
    private readonly users: IdentityStore,
  ) {}

  /** Blocks other changes of these accounts' members until `tx` ends. */
  async lock(accountIds: readonly string[], tx: Tx): Promise<void> {
    for (const id of [...new Set(accountIds)].sort())
      await tx.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [ACCOUNT_LOCK, id]);
  }

  of(accountId: string, from: Queryable = this.database): Promise<AccountMember[]> {
    return from.query<AccountMember>(
      `SELECT id AS "userId", email, coalesce(role, 'owner') AS role, joined_at AS "joinedAt" FROM users
        WHERE account_id = $1 OR (id = $1 AND account_id IS NULL) ORDER BY joined_at NULLS FIRST, id`,
      [accountId],
    );
  }

  async join(userId: string, accountId: string, role: Role, tx: Tx): Promise<void> {
    await tx
      .repository(User)
      .update({ id: userId }, { accountId, role, joinedAt: () => 'clock_timestamp()' });
  }

  async setRole(userId: string, role: Role, tx: Tx): Promise<void> {
    await tx.repository(User).update({ id: userId }, { role });
  }

  isTwoFactorDemanded(accountId: string, tx: Tx): Promise<boolean> {
    return tx.repository(TwoFactorDemand).existsBy({ accountId });
  }

  async demandTwoFactor(accountId: string, isDemanded: boolean, tx: Tx): Promise<void> {
    const demands = tx.repository(TwoFactorDemand);
    if (isDemanded) await demands.insert({ accountId, createdAt: () => 'clock_timestamp()' });
    else await demands.delete({ accountId });
  }

  /** Moves to a new account: the one with the user's id may be the business's. Ends all sessions. */
  async leave(userId: string, newAccountId: string, tx: Tx): Promise<void> {
    await tx.repository(User).update({ id: userId }, { accountId: newAccountId, role: null, joinedAt: null });
    await this.users.endSessions(userId, null, tx);
  }
}
