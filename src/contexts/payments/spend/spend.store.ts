import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { KOBO_MAX } from '../../../kernel/money.js';
import { zoneProblem } from '../transactions/transactions.store.js';
import type { SpendFigures, SpendFilter, SpendGroup } from './spend.domain.js';

export interface SpendSum extends SpendFigures {
  /** From 1; past the limit, all others together. */
  readonly place: number;
  readonly value: string | null;
  readonly label: string | null;
  /** Number of groups past the limit. */
  readonly groups: number;
  /** Null unless asked for by day. */
  readonly day: string | null;
}

const VALUES: Readonly<Record<SpendGroup, string>> = {
  merchant: 't.merchant',
  wallet: 't.wallet_id::text',
  key: 't.key_id::text',
  purpose: 't.purpose',
  run: 't.run_id',
  category: 'l.category',
  costCentre: 'l.cost_centre',
  blockReason: 't.block_reason',
};

const FIGURES = ['payments', 'spent', 'refunded', 'blocked', 'blocked_amount'];

/**
 * SQL: attempts `t` of the wallets $1 from $2 until $3, with refunds `r`. OFFSET 0 has PostgreSQL seek them in
 * `transactions_by_time`.
 */
export const ATTEMPTS_OF_PERIOD = `unnest($1::uuid[]) AS w (id) CROSS JOIN LATERAL (
        SELECT p.* FROM transactions p
         WHERE p.wallet_id = w.id AND p.created_at >= $2::timestamptz AND p.created_at < $3::timestamptz OFFSET 0
      ) t
      LEFT JOIN refunded_payments r ON r.wallet_id = t.wallet_id AND r.transaction_id = t.id
       AND r.wallet_id = ANY ($1::uuid[]) AND r.approved_at >= $2::timestamptz AND r.approved_at < $3::timestamptz`;

const LABELS_OF_PERIOD = `LEFT JOIN payment_labels l ON l.wallet_id = t.wallet_id AND l.transaction_id = t.id
       AND l.wallet_id = ANY ($1::uuid[]) AND l.requested_at >= $2::timestamptz AND l.requested_at < $3::timestamptz`;

const sumsBy = (by: SpendGroup, isLabelled: boolean) => {
  const isByReason = by === 'blockReason';
  const order = isByReason ? 'blocked_amount' : 'spent';
  return `
  WITH sums AS (
    SELECT ${VALUES[by]} AS value, ${by === 'merchant' ? 'min(t.merchant_name)' : 'NULL'} AS label,
           CASE WHEN $5::text IS NOT NULL THEN (t.created_at AT TIME ZONE $5)::date END AS day,
           count(*) FILTER (WHERE t.block_reason IS NULL AND r.amount IS NULL) AS payments,
           coalesce(sum(t.amount) FILTER (WHERE t.block_reason IS NULL AND r.amount IS NULL), 0) AS spent,
           coalesce(sum(t.amount) FILTER (WHERE t.block_reason IS NULL AND r.amount IS NOT NULL), 0) AS refunded,
           count(*) FILTER (WHERE t.block_reason IS NOT NULL) AS blocked,
           coalesce(sum(t.amount) FILTER (WHERE t.block_reason IS NOT NULL), 0) AS blocked_amount
      FROM ${ATTEMPTS_OF_PERIOD} ${isLabelled ? LABELS_OF_PERIOD : ''}
     WHERE t.approval IS DISTINCT FROM 'pending' ${isByReason ? 'AND t.block_reason IS NOT NULL' : ''}
       AND ($6::uuid IS NULL OR t.key_id = $6) AND ($7::text IS NULL OR t.merchant = $7)
       AND ($8::text IS NULL OR t.run_id = $8) AND ($9::text IS NULL OR t.purpose = $9)
       ${isLabelled ? 'AND ($10::text IS NULL OR l.category = $10) AND ($11::text IS NULL OR l.cost_centre = $11)' : ''}
     GROUP BY 1, 3
  ), ranked AS (
    SELECT *, dense_rank() OVER (ORDER BY in_all DESC, attempts DESC, value) AS rank FROM (
      SELECT *, sum(${order}) OVER (PARTITION BY value) AS in_all,
             sum(payments + blocked) OVER (PARTITION BY value) AS attempts FROM sums) each
  )
  SELECT least(rank, $4 + 1)::integer AS place, to_char(day, 'YYYY-MM-DD') AS day,
         min(value) FILTER (WHERE rank <= $4) AS value, min(label) FILTER (WHERE rank <= $4) AS label,
         (max(max(rank)) OVER () - $4)::integer AS groups,
         ${FIGURES.map((name) => `least(sum(${name}), ${KOBO_MAX})::bigint AS ${camelCase(name)}`).join(', ')}
    FROM ranked GROUP BY 1, 2 ORDER BY 1, 2`;
};

function camelCase(name: string): string {
  return name === 'blocked_amount' ? '"blockedAmount"' : name;
}

@Injectable()
export class SpendStore {
  constructor(private readonly database: Database) {}

  /** Attempts of a period, from running counts. */
  async attempts(walletIds: readonly string[], { from, to }: SpendFilter): Promise<number> {
    const lastBefore = (time: string) => `
      SELECT t.seq FROM transactions t WHERE t.wallet_id = w.id AND t.created_at < ${time}::timestamptz
       ORDER BY t.created_at DESC, t.seq DESC LIMIT 1`;
    const [found] = await this.database.reads.query<{ attempts: number }>(
      `SELECT coalesce(sum(last.seq - coalesce(before.seq, 0)), 0)::bigint AS attempts
         FROM unnest($1::uuid[]) AS w (id) CROSS JOIN LATERAL (${lastBefore('$3')}) last
         LEFT JOIN LATERAL (${lastBefore('$2')}) before ON true`,
      [walletIds, from, to],
    );
    return found?.attempts ?? 0;
  }

  /** Throws `VALIDATION_ERROR` for an unknown time zone. */
  async days(from: Date, to: Date, timeZone: string): Promise<string[]> {
    try {
      const rows = await this.database.reads.query<{ day: string }>(
        `SELECT to_char(day, 'YYYY-MM-DD') AS day FROM generate_series(
           ($1::timestamptz AT TIME ZONE $3)::date,
           (($2::timestamptz - interval '1 microsecond') AT TIME ZONE $3)::date, interval '1 day') day`,
        [from, to, timeZone],
      );
      return rows.map(({ day }) => day);
    } catch (error) {
      throw zoneProblem(error);
    }
  }

  /** The `limit` largest groups, then the others as one; each by day if a time zone is given. */
  sums(
    walletIds: readonly string[],
    by: SpendGroup,
    { from, to, keyId, merchant, runId, purpose, category, costCentre }: SpendFilter,
    limit: number,
    timeZone: string | null,
  ): Promise<SpendSum[]> {
    const isLabelled = by === 'category' || by === 'costCentre' || category !== null || costCentre !== null;
    return this.database.reads.query<SpendSum>(sumsBy(by, isLabelled), [
      walletIds,
      from,
      to,
      limit,
      timeZone,
      keyId,
      merchant,
      runId,
      purpose,
      ...(isLabelled ? [category, costCentre] : []),
    ]);
  }
}
