import type { Queryable } from '../../platform/database/tx.js';
import type { AttemptRange } from './payments.port.js';

export interface BrokenRule {
  readonly walletId: string;
  readonly description: string;
}

export interface ApprovedAmount {
  readonly id: string;
  readonly walletId: string;
  /** Kobo. */
  readonly amount: number;
}

export abstract class PaymentBooks {
  /** Wallets that hold another sum or number than their pending payments. */
  abstract holdMismatches(
    wallets: readonly { readonly walletId: string; readonly held: number; readonly heldCount: number }[],
    from: Queryable,
  ): Promise<BrokenRule[]>;

  /**
   * Wallets with a payment above what its period allowed when it was decided, or with a wrong running total.
   * Payments refunded since do not count.
   */
  abstract brokenCaps(ranges: readonly AttemptRange[], from: Queryable): Promise<BrokenRule[]>;

  abstract approvedIn(ranges: readonly AttemptRange[], from: Queryable): Promise<ApprovedAmount[]>;
}
