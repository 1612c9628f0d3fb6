import type { Tx } from '../../platform/database/tx.js';

export interface WalletHold {
  readonly walletId: string;
  /** In kobo, and number of payments. */
  readonly held: number;
  readonly heldCount: number;
  /** Kobo. */
  readonly balance: number;
  readonly entryCount: number;
  readonly attemptCount: number;
}

export abstract class WalletHolds {
  abstract page(after: string | null, limit: number, tx: Tx): Promise<readonly WalletHold[]>;

  abstract count(): Promise<number>;
}
