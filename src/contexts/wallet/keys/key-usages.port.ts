import type { Queryable } from '../../../platform/database/tx.js';
import type { KeyUsage } from '../wallet.port.js';

/** `days` of its window; 0: none. */
export interface LimitedKey {
  readonly walletId: string;
  readonly keyId: string;
  readonly days: number;
}

export type KeyUsageReading = LimitedKey & KeyUsage & { readonly now: Date };

export abstract class KeyUsages {
  /** By key id; unknown keys are left out. */
  abstract usageOf(
    keys: readonly LimitedKey[],
    from: Queryable,
  ): Promise<ReadonlyMap<string, KeyUsageReading>>;
}
