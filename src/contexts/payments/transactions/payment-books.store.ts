import { Injectable } from '@nestjs/common';
import { columnsOf } from '../../../platform/database/columns.js';
import type { Queryable } from '../../../platform/database/tx.js';
import { type ApprovedAmount, type BrokenRule, PaymentBooks } from '../payment-books.port.js';
import type { AttemptRange } from '../payments.port.js';
import { storedFacts } from '../payments.store.js';

const RANGES = `unnest($1::uuid[], $2::bigint[], $3::bigint[]) AS w (id, after, up_to)`;

const valuesOf = (ranges: readonly AttemptRange[]) => columnsOf(ranges, 'walletId', 'after', 'upTo');

@Injectable()
export class PaymentBooksStore extends PaymentBooks {
  holdMismatches(
    wallets: readonly { readonly walletId: string; readonly held: number; readonly heldCount: number }[],
    from: Queryable,
  ): Promise<BrokenRule[]> {
    return from.query<BrokenRule>(
      `SELECT w.id AS "walletId", format('holds %s kobo for %s payments; %s kobo of %s wait for approval',
                w.held, w.count, p.held, p.count) AS description
         FROM unnest($1::uuid[], $2::bigint[], $3::integer[]) AS w (id, held, count)
        CROSS JOIN LATERAL (
          SELECT count(*) AS count, coalesce(sum(t.amount), 0) AS held FROM transactions t
           WHERE t.wallet_id = w.id AND t.approval = 'pending'
        ) p
        WHERE p.held <> w.held OR p.count <> w.count`,
      columnsOf(wallets, 'walletId', 'held', 'heldCount'),
    );
  }

  brokenCaps(ranges: readonly AttemptRange[], from: Queryable): Promise<BrokenRule[]> {
    return from.query<BrokenRule>(
      `SELECT w.id AS "walletId", format('the payment %s exceeds the limit of its period, or follows a wrong total',
                (array_agg(t.id ORDER BY t.seq))[1]) AS description
         FROM ${RANGES}
        CROSS JOIN LATERAL (
          SELECT a.id, a.seq, a.amount, a.created_at, a.block_reason, a.approval, ${storedFacts('a')} AS facts, a.spent_total,
                 lag(a.spent_total, 1, 0::numeric) OVER (ORDER BY a.seq) AS total_before
            FROM transactions a WHERE a.wallet_id = w.id AND a.seq >= w.after AND a.seq <= w.up_to
        ) t
        CROSS JOIN LATERAL (
          SELECT t.created_at - (t.facts->>'periodWindowDays')::integer * interval '24 hours' AS start
        ) period
         LEFT JOIN LATERAL (
           SELECT b.spent_total FROM transactions b WHERE b.wallet_id = w.id AND b.created_at <= period.start
            ORDER BY b.created_at DESC, b.seq DESC LIMIT 1
         ) before ON true
        CROSS JOIN LATERAL (
          SELECT coalesce(sum(r.amount), 0) AS amount FROM refunded_payments r
           WHERE r.wallet_id = w.id AND r.approved_at > period.start AND r.approved_at <= t.created_at
        ) refunded
        WHERE t.seq > w.after AND (
          t.spent_total <> t.total_before
            + CASE WHEN t.block_reason IS NULL OR t.approval IS NOT NULL THEN t.amount ELSE 0 END
          OR t.block_reason IS NULL AND t.spent_total - coalesce(before.spent_total, 0) - refunded.amount
            > (t.facts->>'spendLimitPeriod')::bigint)
        GROUP BY w.id`,
      valuesOf(ranges),
    );
  }

  approvedIn(ranges: readonly AttemptRange[], from: Queryable): Promise<ApprovedAmount[]> {
    return from.query<ApprovedAmount>(
      `SELECT t.id, t.wallet_id AS "walletId", t.amount FROM ${RANGES}
         JOIN transactions t ON t.wallet_id = w.id AND t.seq > w.after AND t.seq <= w.up_to
        WHERE t.block_reason IS NULL AND t.approval IS DISTINCT FROM 'pending'`,
      valuesOf(ranges),
    );
  }
}
