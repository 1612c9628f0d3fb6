import { Injectable } from '@nestjs/common';
import { KOBO_MAX } from '../../../kernel/money.js';
import { Database } from '../../../platform/database/database.js';
import type { Transaction } from '../payments.domain.js';
import { TRANSACTION_COLUMNS } from '../payments.store.js';

/** A recorded attempt with its place in its wallet's history. */
export type PlacedAttempt = Transaction & {
  readonly seq: number;
  /** There and not null where another length of the window was asked for. */
  readonly spentInWindow: number | null;
  readonly isRefunded: boolean;
};

/** Which attempts are read: those after `seq`, at most `limit`; `days` is another length of the window, or null. */
interface PageQuery {
  readonly after: number;
  readonly upTo: number;
  readonly limit: number;
  readonly days: number | null;
}

/** What was recorded, in the order in which it was decided. */
@Injectable()
export class ReplayStore {
  constructor(private readonly database: Database) {}

  /** Where a wallet's last `days` begin and end in its history, by `seq`. */
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

  /**
   * One page. In a window of other than the recorded length, a refunded payment never counts: when it was refunded is not
   * on record.
   */
  page(walletId: string, { after, upTo, limit, days }: PageQuery): Promise<PlacedAttempt[]> {
    return this.database.reads.query<PlacedAttempt>(
      `SELECT ${TRANSACTION_COLUMNS}, t.seq, own.transaction_id IS NOT NULL AS "isRefunded",
              CASE WHEN $5::integer IS NULL THEN NULL ELSE
                least(t.spent_total - CASE WHEN t.spent_total > coalesce(last.spent_total, 0) THEN t.amount ELSE 0 END
                      - coalesce(before.spent_total, 0) - coalesce(refunded.amount, 0), ${KOBO_MAX})::bigint
              END AS "spentInWindow"
         FROM transactions t
         LEFT JOIN refunded_payments own ON own.wallet_id = t.wallet_id AND own.transaction_id = t.id
         LEFT JOIN transactions last ON $5::integer IS NOT NULL AND last.wallet_id = t.wallet_id AND last.seq = t.seq - 1
         LEFT JOIN LATERAL (
           SELECT b.spent_total FROM transactions b
            WHERE $5::integer IS NOT NULL AND b.wallet_id = t.wallet_id
              AND b.created_at <= t.created_at - $5::integer * interval '24 hours'
            ORDER BY b.created_at DESC, b.seq DESC LIMIT 1
         ) before ON true
         LEFT JOIN LATERAL (
           SELECT sum(r.amount) AS amount FROM refunded_payments r
            WHERE $5::integer IS NOT NULL AND r.wallet_id = t.wallet_id
              AND r.approved_at > t.created_at - $5::integer * interval '24 hours' AND r.approved_at < t.created_at
         ) refunded ON true
        WHERE t.wallet_id = $1 AND t.seq > $2 AND t.seq <= $3 ORDER BY t.seq LIMIT $4`,
      [walletId, after, upTo, limit, days],
    );
  }
}
