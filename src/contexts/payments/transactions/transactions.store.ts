import { Injectable } from '@nestjs/common';
import pg from 'pg';
import { columnsOf } from '../../../platform/database/columns.js';
import { Database } from '../../../platform/database/database.js';
import { validationError } from '../../../kernel/errors.js';
import { KOBO_MAX } from '../../../kernel/money.js';
import { type Page, type PageRequest, seqRange } from '../../../kernel/page.js';
import { isUuid } from '../../../kernel/text.js';
import type { KeyReader } from '../../wallet/wallet.port.js';
import {
  type Transaction,
  type AttemptSummary,
  type AttemptRange,
  type PaymentOrigin,
  type ReceiptPayee,
  Payments,
} from '../payments.port.js';
import { TRANSACTION_COLUMNS } from '../payments.store.js';
import { type AttemptFilter, type Edges, edges, HISTORY, pageByPlace, WALLET } from './attempt-pages.js';

export interface DayOfSpending {
  /** As `2026-11-21`. */
  readonly day: string;
  /** Approved and not refunded, in kobo, by time of request. */
  readonly spent: number;
  readonly approved: number;
  readonly blocked: number;
}

const ATTEMPT_COLUMNS = `t.id, t.wallet_id AS "walletId", t.approval IS NOT NULL AS "isReviewed",
  t.block_reason IS NOT NULL AS "isBlocked"`;

@Injectable()
export class TransactionsStore implements Payments {
  constructor(private readonly database: Database) {}

  async payeesOf(transactionIds: readonly string[]): Promise<ReadonlyMap<string, ReceiptPayee>> {
    const rows = await this.database.reads.query<ReceiptPayee & { id: string }>(
      `SELECT id, merchant_name AS "merchantName", recipient_account_no AS "accountNumber",
              recipient_bank_code AS "bankCode" FROM transactions WHERE id = ANY ($1::uuid[])`,
      [transactionIds],
    );
    return new Map(rows.map(({ id, ...payee }) => [id, payee]));
  }

  async originsOf(transactionIds: readonly string[]): Promise<ReadonlyMap<string, PaymentOrigin>> {
    const rows = await this.database.reads.query<PaymentOrigin & { id: string }>(
      `SELECT id, key_id AS "keyId", reason FROM transactions WHERE id = ANY ($1::uuid[])`,
      [transactionIds],
    );
    return new Map(rows.map(({ id, ...origin }) => [id, origin]));
  }

  /** By the running count: a few index seeks a wallet. */
  blockedWithin(
    walletIds: readonly string[],
    minutes: number,
  ): Promise<{ walletId: string; count: number; hour: number }[]> {
    return this.database.query(
      `SELECT w.id AS "walletId", (coalesce(last.blocked_total, 0) - coalesce(before.blocked_total, 0))::integer AS count,
              floor(extract(epoch FROM clock_timestamp()) / 3600)::integer AS hour
         FROM unnest($1::uuid[]) AS w (id)
         LEFT JOIN LATERAL (
           SELECT t.blocked_total FROM transactions t WHERE t.wallet_id = w.id ORDER BY t.seq DESC LIMIT 1
         ) last ON true
         LEFT JOIN LATERAL (
           SELECT t.blocked_total FROM transactions t
            WHERE t.wallet_id = w.id AND t.created_at <= clock_timestamp() - $2 * interval '1 minute'
            ORDER BY t.created_at DESC, t.seq DESC LIMIT 1
         ) before ON true`,
      [walletIds, minutes],
    );
  }

  /** Reads at most `limit` wallets: those whose last attempt is newest. */
  async newest(walletIds: readonly string[], limit: number): Promise<readonly AttemptSummary[]> {
    const [newest, waiting] = await Promise.all([
      this.database.reads.query<AttemptSummary>(
        `SELECT ${ATTEMPT_COLUMNS} FROM (
           SELECT w.id FROM unnest($1::uuid[]) AS w (id)
            CROSS JOIN LATERAL (SELECT l.created_at FROM transactions l WHERE l.wallet_id = w.id
                                 ORDER BY l.seq DESC LIMIT 1) last
            ORDER BY last.created_at DESC, w.id DESC LIMIT $2
         ) w CROSS JOIN LATERAL (
           SELECT n.id, n.wallet_id, n.seq, n.block_reason, n.approval, n.created_at FROM transactions n
            WHERE n.wallet_id = w.id ORDER BY n.seq DESC LIMIT $2
         ) t ORDER BY t.created_at DESC, t.wallet_id DESC, t.seq DESC LIMIT $2`,
        [walletIds, limit],
      ),
      this.database.reads.query<AttemptSummary>(
        `SELECT ${ATTEMPT_COLUMNS} FROM transactions t
          WHERE t.wallet_id = ANY ($1::uuid[]) AND t.approval = 'pending'
          ORDER BY t.created_at DESC, t.wallet_id DESC, t.seq DESC LIMIT $2`,
        [walletIds, limit],
      ),
    ]);
    return [...newest, ...waiting];
  }

  between(ranges: readonly AttemptRange[]): Promise<readonly AttemptSummary[]> {
    return this.database.reads.query<AttemptSummary>(
      `SELECT ${ATTEMPT_COLUMNS}
         FROM unnest($1::uuid[], $2::bigint[], $3::bigint[]) AS r (wallet_id, after, up_to)
         JOIN transactions t ON t.wallet_id = r.wallet_id AND t.seq > r.after AND t.seq <= r.up_to
        ORDER BY t.wallet_id, t.seq`,
      columnsOf(ranges, 'walletId', 'after', 'upTo'),
    );
  }

  async find(id: string, { walletId, historyId }: KeyReader): Promise<Transaction | null> {
    const found = await this.findAmong(id, [walletId]);
    return historyId === null || found?.historyId === historyId ? found : null;
  }

  async findAmong(id: string, walletIds: readonly string[]): Promise<Transaction | null> {
    if (!isUuid(id)) return null;
    const [row] = await this.database.reads.query<Transaction>(
      `SELECT ${TRANSACTION_COLUMNS} FROM transactions t WHERE t.id = $1 AND t.wallet_id = ANY ($2::uuid[])`,
      [id, walletIds],
    );
    return row ?? null;
  }

  /** Newest first; costs the same at any depth. */
  async page(
    reader: KeyReader,
    request: PageRequest,
    filter: AttemptFilter = {},
  ): Promise<Page<Transaction>> {
    const { decision, from = null, to = null } = filter;
    const { walletId, historyId } = reader;
    if (historyId !== null || decision === 'approved' || decision === 'pending') {
      return this.pageByPlace(reader, filter, request);
    }
    const [found] = await this.database.reads.query<Edges>(
      edges(WALLET, decision ?? 'any', to === null ? 'now' : 'up-to'),
      [walletId, from, to],
    );
    const { low, high, refused } = found as Edges;
    if (decision && refused > 0) return this.pageByPlace(reader, filter, request);
    const total = Math.max(0, high - low);
    const range = seqRange(request, total);
    const place = decision
      ? 't.block_reason IS NOT NULL AND t.approval IS NULL AND t.blocked_total'
      : 't.seq';
    const rows = await this.database.reads.query<Transaction>(
      `SELECT ${TRANSACTION_COLUMNS} FROM transactions t
        WHERE t.wallet_id = $1 AND ${place} <= $2 AND ${place} > $3 ORDER BY t.seq DESC`,
      [walletId, range.upTo + low, range.after + low],
    );
    return { rows, total };
  }

  /** One statement counts and reads, so that decisions meanwhile move no places. */
  private async pageByPlace(
    { walletId, historyId }: KeyReader,
    { decision, from = null, to = null }: AttemptFilter,
    { page, pageSize }: PageRequest,
  ): Promise<Page<Transaction>> {
    const found = await this.database.reads.query<(Transaction | { readonly id: null }) & { total: number }>(
      pageByPlace(
        TRANSACTION_COLUMNS,
        historyId === null ? WALLET : HISTORY,
        decision ?? 'any',
        to === null ? 'now' : 'up-to',
      ),
      [walletId, from, to, (page - 1) * pageSize, pageSize, ...(historyId === null ? [] : [historyId])],
    );
    return { rows: found.filter((each) => each.id !== null), total: found[0]?.total ?? 0 };
  }

  async *all(walletId: string, size: number): AsyncGenerator<readonly Transaction[], void> {
    const [last] = await this.database.reads.query<{ seq: number }>(
      'SELECT seq FROM transactions WHERE wallet_id = $1 ORDER BY seq DESC LIMIT 1',
      [walletId],
    );
    for (let upTo = last?.seq ?? 0; upTo > 0; upTo -= size) {
      yield await this.database.reads.query<Transaction>(
        `SELECT ${TRANSACTION_COLUMNS} FROM transactions t
          WHERE t.wallet_id = $1 AND t.seq <= $2 AND t.seq > $3 ORDER BY t.seq DESC`,
        [walletId, upTo, upTo - size],
      );
    }
  }

  /**
   * The last `days` local days, today included. Where clocks go back to midnight a day begins with the first
   * one. Throws `VALIDATION_ERROR`.
   */
  async byDay(walletIds: readonly string[], days: number, timeZone: string): Promise<DayOfSpending[]> {
    try {
      return await this.database.reads.query<DayOfSpending>(
        `WITH today AS MATERIALIZED (
           SELECT date_trunc('day', clock_timestamp() AT TIME ZONE $3) AS start
         ), edges AS MATERIALIZED (
           SELECT i, d.day, CASE WHEN (m.at - interval '1 hour') AT TIME ZONE $3 >= d.day
                                 THEN m.at - interval '1 hour' ELSE m.at END AS at
             FROM today CROSS JOIN generate_series(0, $2::integer) i
            CROSS JOIN LATERAL (SELECT today.start + (i + 1 - $2::integer) * interval '1 day' AS day) d
            CROSS JOIN LATERAL (SELECT d.day AT TIME ZONE $3 AS at) m
         ), active AS MATERIALIZED (
           SELECT w.id FROM unnest($1::uuid[]) AS w (id)
            CROSS JOIN LATERAL (SELECT t.created_at FROM transactions t WHERE t.wallet_id = w.id
                                 ORDER BY t.seq DESC LIMIT 1) last
            WHERE last.created_at >= (SELECT at FROM edges WHERE i = 0)
         ), totals AS (
           SELECT e.i, sum(t.spent_total) AS spent, sum(t.seq) AS attempts, sum(t.blocked_total) AS blocked
             FROM edges e CROSS JOIN active a CROSS JOIN LATERAL (
               SELECT t.spent_total, t.seq, t.blocked_total FROM transactions t
                WHERE t.wallet_id = a.id AND t.created_at < e.at
                ORDER BY t.created_at DESC, t.seq DESC LIMIT 1
             ) t GROUP BY e.i
         ), refunds AS (
           SELECT e.i, sum(r.amount) AS amount FROM edges e JOIN edges n ON n.i = e.i + 1
             JOIN refunded_payments r ON r.wallet_id IN (SELECT id FROM active)
              AND r.approved_at >= e.at AND r.approved_at < n.at
            GROUP BY e.i
         ), reviews AS (
           SELECT e.i, sum(t.amount) FILTER (WHERE t.approval = 'pending') AS held,
                  count(*) FILTER (WHERE t.approval <> 'approved') AS unapproved,
                  count(*) FILTER (WHERE t.approval IN ('denied', 'expired')) AS refused
             FROM edges e JOIN edges n ON n.i = e.i + 1
             JOIN transactions t ON t.wallet_id IN (SELECT id FROM active) AND t.approval IS NOT NULL
              AND t.created_at >= e.at AND t.created_at < n.at
            GROUP BY e.i
         )
         SELECT to_char(e.day, 'YYYY-MM-DD') AS day,
                least(coalesce(t2.spent, 0) - coalesce(t1.spent, 0) - coalesce(r.amount, 0)
                      - coalesce(v.held, 0), ${KOBO_MAX})::bigint AS spent,
                (coalesce(t2.attempts - t2.blocked, 0) - coalesce(t1.attempts - t1.blocked, 0)
                 - coalesce(v.unapproved, 0))::bigint AS approved,
                (coalesce(t2.blocked, 0) - coalesce(t1.blocked, 0) + coalesce(v.refused, 0))::bigint AS blocked
           FROM edges e LEFT JOIN totals t1 ON t1.i = e.i LEFT JOIN totals t2 ON t2.i = e.i + 1
           LEFT JOIN refunds r ON r.i = e.i LEFT JOIN reviews v ON v.i = e.i
          WHERE e.i < $2::integer ORDER BY e.i`,
        [walletIds, days, timeZone],
      );
    } catch (error) {
      throw zoneProblem(error);
    }
  }
}

export function zoneProblem(error: unknown): unknown {
  const isUnknownZone =
    error instanceof pg.DatabaseError && error.code === '22023' && error.message.startsWith('time zone');
  if (!isUnknownZone) return error;
  return validationError({
    field: 'timeZone',
    message: 'must be the name of a time zone, such as Africa/Lagos',
  });
}
