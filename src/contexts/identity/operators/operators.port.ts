import type { Tx } from '../../../platform/database/tx.js';
import type { Role } from '../permissions.port.js';

export interface OperatedUser {
  readonly id: string;
  readonly email: string;
  readonly accountId: string;
  readonly role: Role;
  readonly isOperator: boolean;
  readonly hasTwoFactor: boolean;
  /** Null: may sign in. */
  readonly suspendedAt: Date | null;
  readonly createdAt: Date;
}

export abstract class Operators {
  /** By id, account's id or whole e-mail. */
  abstract find(keys: readonly string[], limit: number): Promise<readonly OperatedUser[]>;

  abstract list(): Promise<readonly OperatedUser[]>;

  /** Until `tx` ends. Null: unknown id or e-mail. */
  abstract lock(idOrEmail: string, tx: Tx): Promise<OperatedUser | null>;

  abstract setOperator(userId: string, isOperator: boolean, tx: Tx): Promise<void>;

  /** Ends the sessions and refuses new ones, or lets the user sign in again. */
  abstract setSuspended(userId: string, isSuspended: boolean, tx: Tx): Promise<void>;
}
