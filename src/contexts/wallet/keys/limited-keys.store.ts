import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Tx } from '../../../platform/database/database.js';
import type { KeyLimits, KeyUsage, SpendAccess, SpendingKey, SpendRequest } from '../wallet.port.js';

/** Where keys stand. */
const USAGE = `
  SELECT u.key_id AS "keyId", u.spent_total::text AS "spentTotal", u.payment_count AS "paymentCount",
         u.refunded_total::text AS "refundedTotal", u.refunded_count AS "refundedCount", u.window_days AS "windowDays",
         u.window_spent AS "windowSpent", u.window_from AS "windowFrom"
    FROM unnest($1::uuid[], $2::uuid[]) AS k (wallet_id, key_id)
    JOIN api_key_usage u ON u.wallet_id = k.wallet_id AND u.key_id = k.key_id`;

interface UsageRow {
  readonly keyId: string;
  readonly spentTotal: string;
  readonly paymentCount: number;
  readonly refundedTotal: string;
  readonly refundedCount: number;
  readonly windowDays: number | null;
  readonly windowSpent: number;
  readonly windowFrom: Date | null;
}

/** A key as its wallet's lock found it. */
export type FoundKey = Omit<SpendingKey, 'limited'> & { readonly limits: KeyLimits | null };

/** What locking found, before it is known where limited keys stand. */
export type FoundAccess =
  | Exclude<SpendAccess, { kind: 'locked' }>
  | (Omit<SpendAccess & { kind: 'locked' }, 'key'> & { readonly key: FoundKey });

interface KeyOfWallet {
  readonly walletId: string;
  readonly keyId: string;
}

const KEYS_REMEMBERED_MAX = 10_000;

/** Where keys with limits stand. Keys without any are neither read nor written here. */
@Injectable()
export class LimitedKeysStore {
  /** By their hash: keys that had limits when they were last used, and have them for ever. */
  private readonly known = new LRUCache<string, KeyOfWallet>({ max: KEYS_REMEMBERED_MAX });

  /**
   * Where those of the requests' keys stand that are known to have limits, by key id. To be asked for in the turn that
   * asked for the wallets' locks: it is then read behind them, without a round trip of its own.
   */
  async usageOfKnown(
    requests: readonly SpendRequest[],
    tx: Tx,
  ): Promise<ReadonlyMap<string, KeyUsage> | null> {
    if (this.known.size === 0) return null;
    const keys = new Map<string, KeyOfWallet>();
    for (const { keyHash } of requests) {
      const key = this.known.get(keyHash.toString('latin1'));
      if (key) keys.set(key.keyId, key);
    }
    return keys.size > 0 ? this.usageOf([...keys.values()], tx) : null;
  }

  /** Adds where the limited keys stand to what locking found. What was read `ahead` was read under these locks. */
  async withUsage(
    requests: readonly SpendRequest[],
    found: readonly FoundAccess[],
    ahead: ReadonlyMap<string, KeyUsage> | null,
    tx: Tx,
  ): Promise<SpendAccess[]> {
    const unread = new Map<string, KeyOfWallet>();
    for (const [i, access] of found.entries()) {
      if (access.kind !== 'locked' || !access.key.limits || ahead?.has(access.key.id)) continue;
      const key = { walletId: access.wallet.id, keyId: access.key.id };
      unread.set(key.keyId, key);
      const keyHash = requests[i]?.keyHash;
      if (keyHash) this.known.set(keyHash.toString('latin1'), key);
    }
    const read = unread.size > 0 ? await this.usageOf([...unread.values()], tx) : null;
    return found.map((access): SpendAccess => {
      if (access.kind !== 'locked') return access;
      const { limits, ...key } = access.key;
      if (!limits) return { ...access, key };
      const usage = ahead?.get(key.id) ?? read?.get(key.id);
      if (!usage) throw new Error(`it is not known where the key ${key.id} stands`);
      return { ...access, key: { ...key, limited: { limits, usage } } };
    });
  }

  private async usageOf(keys: readonly KeyOfWallet[], tx: Tx): Promise<ReadonlyMap<string, KeyUsage>> {
    const rows = await tx.query<UsageRow>(USAGE, [
      keys.map(({ walletId }) => walletId),
      keys.map(({ keyId }) => keyId),
    ]);
    return new Map(rows.map((row) => [row.keyId, usageOf(row)]));
  }
}

function usageOf(row: UsageRow): KeyUsage {
  const { spentTotal, paymentCount, refundedTotal, refundedCount, windowDays, windowSpent, windowFrom } = row;
  return {
    spentTotal: BigInt(spentTotal),
    paymentCount,
    refundedTotal: BigInt(refundedTotal),
    refundedCount,
    window: windowDays === null ? null : { days: windowDays, spent: windowSpent, from: windowFrom },
  };
}
