import type { Tx } from '../../platform/database/tx.js';

export abstract class Businesses {
  /** Null: none. */
  abstract idOf(userId: string, tx?: Tx): Promise<string | null>;
}
