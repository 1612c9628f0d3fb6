import type { Tx } from '../../platform/database/tx.js';

/** What others may ask of businesses. */
export abstract class Businesses {
  /** The business of a user, or null; read in `tx` where one is given. */
  abstract idOf(userId: string, tx?: Tx): Promise<string | null>;
}
