import { Injectable } from '@nestjs/common';
import { KOBO_MAX } from '../../../kernel/money.js';
import type { StatusTotal } from '../../../kernel/page.js';
import { Database } from '../../../platform/database/database.js';
import type { PaymentStatus } from '../payments.domain.js';
import type { PaymentFilter } from './search.domain.js';
import { MATCHES, matchValues } from './search.store.js';

type Total = StatusTotal<PaymentStatus>;

const STATUS = `CASE WHEN t.approval = 'pending' THEN 'awaiting_approval'
         WHEN t.block_reason = 'APPROVAL_DENIED' THEN 'denied' WHEN t.block_reason = 'APPROVAL_EXPIRED' THEN 'expired'
         WHEN t.block_reason IS NOT NULL THEN 'blocked' WHEN b.found THEN 'returned' WHEN r.found THEN 'failed'
         WHEN t.id = ANY ($5::uuid[]) THEN 'processing' ELSE 'paid' END`;

/** OFFSET 0 has PostgreSQL seek rows one by one. */
const sought = (table: string) => `LEFT JOIN LATERAL (
         SELECT true AS found FROM ${table} x
          WHERE t.block_reason IS NULL AND x.wallet_id = t.wallet_id AND x.transaction_id = t.id OFFSET 0)`;

const LABELS = `LEFT JOIN LATERAL (
         SELECT x.category, x.cost_centre FROM payment_labels x
          WHERE x.wallet_id = t.wallet_id AND x.transaction_id = t.id OFFSET 0) l ON true`;

const totals = (isLabelled: boolean) => `
  SELECT CASE WHEN ${MATCHES} AND ($4::text[] IS NULL OR ${STATUS} = ANY ($4))
              ${isLabelled ? 'AND ($20::text IS NULL OR l.category = $20) AND ($21::text IS NULL OR l.cost_centre = $21)' : ''}
         THEN ${STATUS} END AS status, count(*) AS count, least(sum(t.amount), ${KOBO_MAX})::bigint AS amount
    FROM (SELECT p.* FROM unnest($1::uuid[]) AS w (id) CROSS JOIN LATERAL (
            SELECT a.id, a.wallet_id, a.amount, a.merchant, a.reason, a.purpose, a.run_id, a.key_id,
                   a.recipient_account_no, a.block_reason, a.approval
              FROM transactions a
             WHERE a.wallet_id = w.id AND a.created_at >= $2::timestamptz AND a.created_at < $3::timestamptz
             ORDER BY a.created_at DESC, a.seq DESC LIMIT $6) p
           LIMIT $6) t
    ${sought('refunded_payments')} r ON true
    ${sought('returned_payments')} b ON true
    ${isLabelled ? LABELS : ''}
   GROUP BY 1`;

@Injectable()
export class TotalsStore {
  constructor(private readonly database: Database) {}

  /** Null: the period has more than `attemptsMax` attempts. `open`: those at the bank. */
  async byStatus(
    walletIds: readonly string[],
    filter: PaymentFilter,
    keyIds: readonly string[],
    open: readonly string[],
    attemptsMax: number,
  ): Promise<readonly Total[] | null> {
    const { from, to, statuses, category, costCentre } = filter;
    const rows = await this.database.reads.query<Total | (Omit<Total, 'status'> & { readonly status: null })>(
      totals(category !== null || costCentre !== null),
      [
        walletIds,
        from ?? '-infinity',
        to ?? 'infinity',
        statuses && [...statuses],
        open,
        attemptsMax + 1,
        ...matchValues(filter, keyIds),
      ],
    );
    const read = rows.reduce((sum, { count }) => sum + count, 0);
    return read > attemptsMax ? null : rows.filter((row) => row.status !== null);
  }
}
