import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { growingTo } from '../../../kernel/growing-to.js';
import { mapped } from '../../../kernel/mapped.js';
import { KOBO_MAX } from '../../../kernel/money.js';
import type { Queryable, Tx } from '../../../platform/database/tx.js';
import { RowStatement } from '../../../platform/database/row-statement.js';
import type { LimitedKeyPaid } from '../../payments/payments.events.js';
import type { KeyLimits, KeyUsage, SpendAccess, SpendingKey, SpendRequest } from '../wallet.port.js';

/**
 * Where keys stand, in a few index seeks however much they paid: what was spent in a window is the newest running total,
 * less that at the window's start, less what was given back of it. The time is read by this statement, so after the
 * locks that an earlier one took.
 */
const USAGE = `
  WITH clock AS MATERIALIZED (SELECT date_trunc('milliseconds', clock_timestamp()) AS now)
  SELECT u.key_id AS "keyId", clock.now, u.spent_total::text AS "spentTotal", u.payment_count AS "paymentCount",
         least(u.spent_total - u.refunded_total, ${KOBO_MAX})::bigint AS spent,
         u.payment_count - u.refunded_count AS payments,
         CASE WHEN k.days > 0 THEN
           least(u.spent_total - coalesce(before.spent_total, 0) - refunded.amount, ${KOBO_MAX})::bigint
         ELSE 0 END AS "spentInPeriod"
    FROM clock CROSS JOIN unnest($1::uuid[], $2::uuid[], $3::integer[]) AS k (wallet_id, key_id, days)
    JOIN api_key_usage u ON u.wallet_id = k.wallet_id AND u.key_id = k.key_id
   CROSS JOIN LATERAL (SELECT clock.now - k.days * interval '24 hours' AS start) opening
    LEFT JOIN LATERAL (
      SELECT p.spent_total FROM api_key_payments p
       WHERE k.days > 0 AND p.wallet_id = k.wallet_id AND p.key_id = k.key_id AND p.approved_at <= opening.start
       ORDER BY p.approved_at DESC, p.seq DESC LIMIT 1
    ) before ON true
   CROSS JOIN LATERAL (
      SELECT coalesce(sum(p.amount), 0) AS amount FROM api_key_payments p
       WHERE k.days > 0 AND p.wallet_id = k.wallet_id AND p.key_id = k.key_id AND p.approved_at > opening.start
         AND p.is_refunded
    ) refunded`;

interface UsageRow extends Omit<KeyUsage, 'spentTotal'> {
  readonly keyId: string;
  readonly now: Date;
  readonly spentTotal: string;
}

type UsageReading = KeyUsage & { readonly now: Date };

type PaymentRow = Pick<
  LimitedKeyPaid,
  'walletId' | 'keyId' | 'seq' | 'transactionId' | 'amount' | 'spentTotal'
> & { readonly approvedAt: Date };

const ADD_PAYMENTS = new RowStatement<PaymentRow>(
  'api_key_payments',
  {
    walletId: 'uuid',
    keyId: 'uuid',
    seq: 'bigint',
    transactionId: 'uuid',
    amount: 'bigint',
    spentTotal: 'numeric',
    approvedAt: 'timestamptz',
  },
  (
    rows,
  ) => `INSERT INTO api_key_payments (wallet_id, key_id, seq, transaction_id, amount, spent_total, approved_at)
     SELECT r.* FROM ${rows}`,
);

type TotalsRow = Pick<LimitedKeyPaid, 'walletId' | 'keyId' | 'spentTotal'> & {
  readonly paymentCount: number;
};

const SET_TOTALS = new RowStatement<TotalsRow>(
  'api_key_usage',
  { walletId: 'uuid', keyId: 'uuid', spentTotal: 'numeric', paymentCount: 'bigint' },
  (rows) => `UPDATE api_key_usage u SET spent_total = r.spentTotal, payment_count = r.paymentCount
     FROM ${rows} WHERE u.wallet_id = r.walletId AND u.key_id = r.keyId`,
);

/** A key as its wallet's lock found it. */
export type FoundKey = Omit<SpendingKey, 'limited'> & {
  readonly limits: KeyLimits | null;
  readonly historyId: string | null;
  readonly onAllowlist?: boolean;
};

/** What locking found, before it is known where limited keys stand. */
export type FoundAccess =
  | Exclude<SpendAccess, { kind: 'locked' }>
  | (Omit<SpendAccess & { kind: 'locked' }, 'key'> & { readonly key: FoundKey });

/** A key with limits; `days` of its window, 0 without one. */
export interface LimitedKey {
  readonly walletId: string;
  readonly keyId: string;
  readonly days: number;
}

const KEYS_REMEMBERED_MAX = 10_000;

/** Where keys with limits stand. Keys without any are neither read nor written here. */
@Injectable()
export class LimitedKeysStore {
  /** By their hash: keys that had limits when they were last used, and have the same for ever. */
  private readonly known = new LRUCache<string, LimitedKey>(growingTo(KEYS_REMEMBERED_MAX));

  /**
   * The usage of the requests' keys that are known to have limits, by key id. Call it in the same turn as the statement
   * that locks the wallets: it is then read right after the locks, without a round trip of its own.
   */
  async usageOfKnown(
    requests: readonly SpendRequest[],
    tx: Tx,
  ): Promise<ReadonlyMap<string, UsageReading> | null> {
    if (this.known.size === 0) return null;
    const keys = new Map<string, LimitedKey>();
    for (const { keyHash } of requests) {
      const key = this.known.get(keyHash);
      if (key) keys.set(key.keyId, key);
    }
    return keys.size > 0 ? this.usageOf([...keys.values()], tx) : null;
  }

  /**
   * Adds where the limited keys stand to what locking found; their wallets are then decided at a time that is not
   * before the reading. What was read `ahead` was read under these locks.
   */
  async withUsage(
    requests: readonly SpendRequest[],
    found: readonly FoundAccess[],
    ahead: ReadonlyMap<string, UsageReading> | null,
    tx: Tx,
  ): Promise<SpendAccess[]> {
    const unread = new Map<string, LimitedKey>();
    for (const [i, access] of found.entries()) {
      if (access.kind !== 'locked' || !access.key.limits || ahead?.has(access.key.id)) continue;
      const days = access.key.limits.periodWindowDays ?? 0;
      const key = { walletId: access.wallet.id, keyId: access.key.id, days };
      unread.set(key.keyId, key);
      const keyHash = requests[i]?.keyHash;
      if (keyHash) this.known.set(keyHash, key);
    }
    const read = unread.size > 0 ? await this.usageOf([...unread.values()], tx) : null;
    const readAt = new Map<string, Date>();
    const accesses = mapped(found, (access): SpendAccess => {
      if (access.kind !== 'locked' || !access.key.limits) return access;
      const { limits, historyId, onAllowlist, ...key } = access.key;
      const usage = ahead?.get(key.id) ?? read?.get(key.id);
      if (!usage) throw new Error(`it is not known where the key ${key.id} stands`);
      const { id, now } = access.wallet;
      const latest = readAt.get(id) ?? now;
      readAt.set(id, usage.now > latest ? usage.now : latest);
      const limited = {
        limits,
        usage,
        historyId: historyId ?? key.id,
        ...(onAllowlist !== undefined && { onAllowlist }),
      };
      return { ...access, key: { ...key, limited } };
    });
    if (readAt.size === 0) return accesses;
    return accesses.map((access) => {
      const now = access.kind === 'locked' ? readAt.get(access.wallet.id) : undefined;
      return access.kind === 'locked' && now ? { ...access, wallet: { ...access.wallet, now } } : access;
    });
  }

  /** Where these keys stand, by key id; unknown ones are left out. */
  async usageOf(keys: readonly LimitedKey[], from: Queryable): Promise<ReadonlyMap<string, UsageReading>> {
    const rows = await from.query<UsageRow>(USAGE, [
      keys.map(({ walletId }) => walletId),
      keys.map(({ keyId }) => keyId),
      keys.map(({ days }) => days),
    ]);
    return new Map(
      rows.map(({ keyId, spentTotal, ...row }) => [keyId, { ...row, spentTotal: BigInt(spentTotal) }]),
    );
  }

  /** Counts payments, each key's in the order of its numbers, against limits of wallets that `tx` has locked. */
  add(payments: readonly LimitedKeyPaid[], tx: Tx): void {
    tx.writeRows(
      ADD_PAYMENTS,
      payments.map(({ at: approvedAt, ...payment }) => ({ ...payment, approvedAt })),
    );
    const last = new Map(payments.map((payment) => [payment.keyId, payment]));
    tx.writeRows(
      SET_TOTALS,
      [...last.values()].map(({ walletId, keyId, spentTotal, seq }) => ({
        walletId,
        keyId,
        spentTotal,
        paymentCount: seq,
      })),
    );
  }

  /**
   * Payments of wallets that `tx` has locked no longer count against the limits of their keys; those that do not, or
   * whose keys have none, are passed over.
   */
  giveBack(payments: readonly { readonly walletId: string; readonly transactionId: string }[], tx: Tx): void {
    tx.write(
      `WITH refunded AS (
         UPDATE api_key_payments p SET is_refunded = true
           FROM unnest($1::uuid[], $2::uuid[]) AS r (wallet_id, transaction_id)
          WHERE p.wallet_id = r.wallet_id AND p.transaction_id = r.transaction_id AND NOT p.is_refunded
         RETURNING p.wallet_id, p.key_id, p.amount
       )
       UPDATE api_key_usage u
          SET refunded_total = u.refunded_total + g.amount, refunded_count = u.refunded_count + g.count
         FROM (SELECT wallet_id, key_id, sum(amount) AS amount, count(*) AS count FROM refunded GROUP BY 1, 2) g
        WHERE u.wallet_id = g.wallet_id AND u.key_id = g.key_id`,
      [payments.map(({ walletId }) => walletId), payments.map(({ transactionId }) => transactionId)],
    );
  }
}
