import type { Tx } from '../../platform/database/tx.js';

/** What one wallet holds of its balance for payments that wait for a person. */
export interface WalletHold {
  readonly walletId: string;
  /** In kobo, and of how many payments. */
  readonly held: number;
  readonly heldCount: number;
}

/** What wallets hold, as it stands in their rows. */
export abstract class WalletHolds {
  /** At most `limit` wallets, in the order of their ids, from the first after `after`; as `tx` sees them. */
  abstract page(after: string | null, limit: number, tx: Tx): Promise<readonly WalletHold[]>;

  /** How many wallets there are. */
  abstract count(): Promise<number>;
}
