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
 * Usage of keys in a few seeks: newest running total, less that at the window's start, less refunds. The time
 * is read here, after the locks.
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

/** A key as found by the lock. */
export type FoundKey = Omit<SpendingKey, 'limited'> & {
  readonly limits: KeyLimits | null;
  readonly historyId: string | null;
  readonly onAllowlist?: boolean;
};

/** The lock's result, before the usage of limited keys is added. */
export type FoundAccess =
  | Exclude<SpendAccess, { kind: 'locked' }>
  | (Omit<SpendAccess & { kind: 'locked' }, 'key'> & { readonly key: FoundKey });

/** `days` of its window; 0: none. */
export interface LimitedKey {
  readonly walletId: string;
  readonly keyId: string;
  readonly days: number;
}

const KEYS_REMEMBERED_MAX = 10_000;

/** Usage of limited keys; others are neither read nor written. */
@Injectable()
export class LimitedKeysStore {
  /** By hash: limited keys seen before. Limits of a key never change. */
  private readonly known = new LRUCache<string, LimitedKey>(growingTo(KEYS_REMEMBERED_MAX));

  /**
   * Reads usage of known limited keys. Call it in the turn of the locking statement, so that it is read under
   * the locks without a round trip.
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

  /** Adds usage to locked access; decisions then happen no earlier than the reading. */
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

  /** By key id; unknown keys are left out. */
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

  /** Counts payments of locked wallets, each key's in order. */
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

  /** Releases payments of locked wallets from their keys' limits, once each. */
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
