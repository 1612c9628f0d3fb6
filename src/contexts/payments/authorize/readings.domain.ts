import type { KeyUsageReading } from '../../wallet/keys/key-usages.port.js';
import type { CoolingReadings } from '../rules/cooling-off/cooling-off.domain.js';
import type { Purchase, PurchaseIdentity } from '../rules/duplicate-guard/duplicate-guard.domain.js';
import type { MerchantPayees } from '../rules/payees/payees.domain.js';
import type { HistoryReading, IdempotencyRecord, WindowReading } from '../spending-wallet.domain.js';

/** The wallets' past, read under their locks. Later rows override earlier ones. */
export interface Readings extends CoolingReadings {
  /** Windows that the wallets' rows do not carry. */
  readonly windows: readonly WindowReading[];
  readonly keyUsages: readonly KeyUsageReading[];
  readonly idempotencyRecords: readonly IdempotencyRecord[];
  readonly histories: readonly HistoryReading[];
  readonly purchases: readonly (PurchaseIdentity & Purchase)[];
  readonly payees: readonly MerchantPayees[];
}

export const NOTHING_READ: Readings = {
  windows: [],
  keyUsages: [],
  idempotencyRecords: [],
  histories: [],
  purchases: [],
  payees: [],
  coolingAccounts: [],
  coolingKeys: [],
};

const KINDS = Object.keys(NOTHING_READ) as (keyof Readings)[];

type Rows = { -readonly [Kind in keyof Readings]: { readonly walletId: string }[] };

const noRows = () => Object.fromEntries(KINDS.map((kind) => [kind, []])) as unknown as Rows;

export function readingsByWallet(all: readonly Readings[]): ReadonlyMap<string, Readings> {
  const byWallet = new Map<string, Rows>();
  for (const readings of all) {
    if (readings === NOTHING_READ) continue;
    for (const kind of KINDS) {
      for (const row of readings[kind]) {
        let rows = byWallet.get(row.walletId);
        if (!rows) byWallet.set(row.walletId, (rows = noRows()));
        rows[kind].push(row);
      }
    }
  }
  return byWallet as ReadonlyMap<string, unknown> as ReadonlyMap<string, Readings>;
}
