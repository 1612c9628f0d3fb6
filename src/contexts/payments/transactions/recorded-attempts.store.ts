import { Injectable } from '@nestjs/common';
import { KOBO_MAX } from '../../../kernel/money.js';
import { Database } from '../../../platform/database/database.js';
import {
  type PlacedAttempt,
  RecordedAttempts,
  type RecordedPage,
  type Transaction,
} from '../payments.port.js';
import { TRANSACTION_COLUMNS } from '../payments.store.js';

const IN_ORDER = 'WHERE t.wallet_id = $1 AND t.seq > $2 AND t.seq <= $3 ORDER BY t.seq LIMIT $4';

// LIMIT makes PostgreSQL seek each row; a hash join would read the whole wallet.
const SHOWN = `${TRANSACTION_COLUMNS}, t.seq, own.found IS NOT NULL AS "isRefunded"`;
const OWN_REFUND = `
  LEFT JOIN LATERAL (
    SELECT true AS found FROM refunded_payments r
     WHERE r.wallet_id = t.wallet_id AND r.transaction_id = t.id LIMIT 1
  ) own ON true`;

const RECORDED_PAGE = `
  SELECT ${SHOWN}, NULL::bigint AS "spentInWindow" FROM transactions t ${OWN_REFUND} ${IN_ORDER}`;

const OTHER_WINDOW_PAGE = `
  WITH page AS MATERIALIZED (SELECT t.seq, t.created_at FROM transactions t ${IN_ORDER}),
  refunded AS (
    SELECT seq, sum(amount) OVER (ORDER BY at RANGE BETWEEN
             $5::integer * interval '24 hours' - interval '1 microsecond' PRECEDING AND interval '1 microsecond' PRECEDING
           ) AS amount
      FROM (SELECT seq, created_at AS at, NULL::bigint AS amount FROM page
            UNION ALL
            SELECT NULL, r.approved_at, r.amount FROM refunded_payments r
             WHERE r.wallet_id = $1
               AND r.approved_at > (SELECT min(created_at) FROM page) - $5::integer * interval '24 hours'
               AND r.approved_at < (SELECT max(created_at) FROM page)) moves
  )
  SELECT ${SHOWN},
         least(t.spent_total
               - CASE WHEN t.spent_total > coalesce((SELECT l.spent_total FROM transactions l
                                                      WHERE l.wallet_id = t.wallet_id AND l.seq = t.seq - 1), 0)
                      THEN t.amount ELSE 0 END
               - coalesce((SELECT b.spent_total FROM transactions b
                            WHERE b.wallet_id = t.wallet_id
                              AND b.created_at <= t.created_at - $5::integer * interval '24 hours'
                            ORDER BY b.created_at DESC, b.seq DESC LIMIT 1), 0)
               - coalesce(refunded.amount, 0), ${KOBO_MAX})::bigint AS "spentInWindow"
    FROM refunded
    CROSS JOIN LATERAL (
      SELECT * FROM transactions a WHERE a.wallet_id = $1 AND a.seq = refunded.seq LIMIT 1
    ) t ${OWN_REFUND}
   ORDER BY t.seq`;

@Injectable()
export class RecordedAttemptsStore implements RecordedAttempts {
  constructor(private readonly database: Database) {}

  async edges(walletId: string, days: number): Promise<{ before: number; last: number }> {
    const [edges] = await this.database.reads.query<{ before: number; last: number }>(
      `SELECT coalesce((SELECT t.seq FROM transactions t
                         WHERE t.wallet_id = $1 AND t.created_at <= statement_timestamp() - $2 * interval '24 hours'
                         ORDER BY t.created_at DESC, t.seq DESC LIMIT 1), 0) AS before,
              coalesce((SELECT t.seq FROM transactions t WHERE t.wallet_id = $1 ORDER BY t.seq DESC LIMIT 1), 0)
                AS last`,
      [walletId, days],
    );
    return edges as { before: number; last: number };
  }

  page(walletId: string, { after, upTo, limit, days }: RecordedPage): Promise<PlacedAttempt[]> {
    const values = [walletId, after, upTo, limit];
    return days === null
      ? this.database.reads.query<PlacedAttempt>(RECORDED_PAGE, values)
      : this.database.reads.query<PlacedAttempt>(OTHER_WINDOW_PAGE, [...values, days]);
  }

  async at(walletId: string, seqs: readonly number[]): Promise<(Transaction & { readonly seq: number })[]> {
    return this.database.reads.query<Transaction & { readonly seq: number }>(
      `SELECT ${TRANSACTION_COLUMNS}, t.seq FROM unnest($2::bigint[]) AS s (seq)
        CROSS JOIN LATERAL (SELECT * FROM transactions a WHERE a.wallet_id = $1 AND a.seq = s.seq LIMIT 1) t
        ORDER BY t.seq DESC`,
      [walletId, seqs],
    );
  }
}
