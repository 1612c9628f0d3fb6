import { Injectable } from '@nestjs/common';
import { ATTEMPTS_OF_PERIOD } from '../spend/spend.store.js';
import { KOBO_MAX } from '../../../kernel/money.js';
import { Database } from '../../../platform/database/database.js';
import {
  type OutcomeSum,
  type PeriodNews,
  type Repeats,
  type ReturnedPayout,
  type UnusualDay,
} from '../overview.port.js';

const ROWS_MAX = 10;
const UNUSUAL_FACTOR = 3;
const BURST = 10;
const COMPARED_WALLETS_MAX = 20;
const COMPARED_ATTEMPTS_MAX = 5_000;

const SUMS = `count(*)::integer AS count, least(sum(amount), ${KOBO_MAX})::bigint AS amount`;
const REPEATS = `wallet_id AS "walletId", max(merchant_name) AS "merchantName", outcome, ${SUMS},
  max(created_at) AS "lastAt", (array_agg(id ORDER BY created_at DESC))[1] AS "lastId"`;
/** Members deny many at once. */
const NOT_DECIDED = `block_reason NOT IN ('APPROVAL_DENIED', 'APPROVAL_EXPIRED')`;
const row = (sums: string) => `coalesce((SELECT json_agg(s) FROM (${sums}) s), '[]')`;

const NEWS = `
  WITH news AS MATERIALIZED (
    SELECT t.wallet_id, t.key_id, t.id, t.merchant, t.merchant_name, t.amount, t.created_at, t.block_reason,
           t.recipient_account_no, t.recipient_bank_code,
           CASE WHEN t.block_reason IS NOT NULL THEN 'blocked'
                WHEN r.amount IS NOT NULL OR b.transaction_id IS NOT NULL THEN 'failed' ELSE 'paid' END AS outcome
      FROM ${ATTEMPTS_OF_PERIOD}
      LEFT JOIN returned_payments b ON b.wallet_id = t.wallet_id AND b.transaction_id = t.id
       AND b.wallet_id = ANY ($1::uuid[]) AND b.approved_at >= $2::timestamptz AND b.approved_at < $3::timestamptz
     WHERE t.approval IS DISTINCT FROM 'pending'
  ), bursting AS (
    SELECT wallet_id, key_id, created_at,
           lag(created_at, ${BURST - 1}) OVER (PARTITION BY wallet_id, key_id ORDER BY created_at) AS begun
      FROM news WHERE outcome = 'blocked' AND ${NOT_DECIDED}
  ), paid AS (
    SELECT recipient_account_no, recipient_bank_code, ${REPEATS} FROM news WHERE outcome = 'paid'
     GROUP BY wallet_id, outcome, recipient_account_no, recipient_bank_code
  ), before AS MATERIALIZED (
    SELECT b.* FROM (SELECT "walletId" FROM paid GROUP BY 1 ORDER BY sum(amount) DESC LIMIT ${COMPARED_WALLETS_MAX}) w
     CROSS JOIN LATERAL (
       SELECT e.wallet_id, e.recipient_account_no, e.recipient_bank_code, e.block_reason, e.approval
         FROM transactions e
        WHERE e.wallet_id = w."walletId" AND e.created_at < $2::timestamptz
          AND e.created_at >= $2::timestamptz - interval '28 days'
        ORDER BY e.created_at DESC, e.seq DESC LIMIT ${COMPARED_ATTEMPTS_MAX}
     ) b
  ), known AS (
    SELECT DISTINCT wallet_id, recipient_account_no, recipient_bank_code FROM before
     WHERE block_reason IS NULL AND approval IS DISTINCT FROM 'pending'
  )
  SELECT ${row(`SELECT outcome, ${SUMS} FROM news GROUP BY 1`)} AS outcomes,
         ${row(`SELECT block_reason AS "blockReason", ${SUMS} FROM news WHERE outcome = 'blocked'
                 GROUP BY 1 ORDER BY 2 DESC, 1`)} AS reasons,
         ${row(`SELECT wallet_id AS "walletId", outcome, ${SUMS} FROM news WHERE wallet_id IN (
                  SELECT wallet_id FROM news GROUP BY 1 ORDER BY sum(amount) FILTER (WHERE outcome = 'paid') DESC NULLS LAST,
                         count(*) DESC LIMIT ${ROWS_MAX}) GROUP BY 1, 2`)} AS wallets,
         ${row(`SELECT wallet_id AS "walletId", key_id AS "keyId", outcome, ${SUMS} FROM news WHERE key_id IN (
                  SELECT key_id FROM news GROUP BY 1 ORDER BY sum(amount) FILTER (WHERE outcome = 'paid') DESC NULLS LAST,
                         count(*) DESC LIMIT ${ROWS_MAX}) GROUP BY 1, 2, 3`)} AS keys,
         ${row(`SELECT key_id AS "keyId", block_reason AS "blockReason", ${REPEATS} FROM news
                 GROUP BY wallet_id, key_id, merchant, outcome, block_reason ORDER BY max(created_at) DESC
                 LIMIT ${ROWS_MAX}`)} AS repeats,
         ${row(`SELECT b.wallet_id AS "walletId", b.key_id AS "keyId", max(b.created_at) AS "lastAt",
                       (SELECT count(*) FROM news n WHERE n.outcome = 'blocked' AND ${NOT_DECIDED} AND n.wallet_id = b.wallet_id
                         AND n.key_id IS NOT DISTINCT FROM b.key_id AND n.created_at >= min(b.begun)
                         AND n.created_at <= max(b.created_at))::integer AS count
                  FROM bursting b WHERE b.created_at - b.begun <= interval '15 minutes'
                 GROUP BY 1, 2 ORDER BY 3 DESC LIMIT ${ROWS_MAX}`)} AS bursts,
         ${row(`SELECT p.*, NULL AS "keyId", NULL AS "blockReason" FROM paid p
                 WHERE p."walletId" IN (SELECT wallet_id FROM before)
                   AND NOT EXISTS (SELECT FROM known k WHERE k.wallet_id = p."walletId"
                    AND k.recipient_account_no = p.recipient_account_no AND k.recipient_bank_code = p.recipient_bank_code)
                 ORDER BY p.amount DESC LIMIT ${ROWS_MAX}`)} AS "newAccounts"`;

interface NewsRow {
  readonly outcomes: OutcomeSum[];
  readonly reasons: PeriodNews['reasons'];
  readonly wallets: PeriodNews['wallets'];
  readonly keys: PeriodNews['keys'];
  readonly repeats: readonly (Omit<Repeats, 'lastAt'> & { readonly lastAt: string })[];
  readonly bursts: readonly (Omit<PeriodNews['bursts'][number], 'lastAt'> & { readonly lastAt: string })[];
  readonly newAccounts: readonly (Omit<Repeats, 'lastAt'> & { readonly lastAt: string })[];
}

@Injectable()
export class OverviewStore {
  constructor(private readonly database: Database) {}

  async news(walletIds: readonly string[], from: Date, to: Date): Promise<Omit<PeriodNews, 'from'>> {
    const [found] = await this.database.reads.query<NewsRow>(NEWS, [walletIds, from, to]);
    const { repeats, bursts, newAccounts, ...sums } = found as NewsRow;
    return { ...sums, repeats: dated(repeats), bursts: dated(bursts), newAccounts: dated(newAccounts) };
  }

  /** A few seeks a wallet. */
  unusualDays(walletIds: readonly string[]): Promise<UnusualDay[]> {
    const spentBetween = (from: string, to: string, later: string, earlier: string) => `
      greatest(0, ${later} - ${earlier}
        - coalesce((SELECT sum(r.amount) FROM refunded_payments r
                     WHERE r.wallet_id = w.id AND r.approved_at >= ${from} AND r.approved_at < ${to}), 0)
        - coalesce((SELECT sum(p.amount) FROM transactions p WHERE p.wallet_id = w.id AND p.approval = 'pending'
                     AND p.created_at >= ${from} AND p.created_at < ${to}), 0))`;
    const lastBefore = (at: string) => `
      LEFT JOIN LATERAL (SELECT t.spent_total FROM transactions t WHERE t.wallet_id = w.id AND t.created_at < ${at}
                          ORDER BY t.created_at DESC, t.seq DESC LIMIT 1)`;
    return this.database.reads.query<UnusualDay>(
      `WITH edges AS MATERIALIZED (
         SELECT statement_timestamp() AS now, statement_timestamp() - interval '1 day' AS day,
                statement_timestamp() - interval '29 days' AS start
       ), days AS (
         SELECT w.id, ${spentBetween('e.day', 'e.now', 'last.spent_total', 'coalesce(d.spent_total, 0)')} AS spent,
                ${spentBetween('e.start', 'e.day', 'coalesce(d.spent_total, 0)', 'coalesce(s.spent_total, 0)')} AS before,
                extract(epoch FROM e.day - greatest(e.start, first.created_at)) / 86400 AS days
           FROM unnest($1::uuid[]) AS w (id) CROSS JOIN edges e
           CROSS JOIN LATERAL (SELECT t.spent_total, t.created_at FROM transactions t WHERE t.wallet_id = w.id
                                ORDER BY t.seq DESC LIMIT 1) last
           JOIN transactions first ON first.wallet_id = w.id AND first.seq = 1
           ${lastBefore('e.day')} d ON true ${lastBefore('e.start')} s ON true
          WHERE last.created_at >= e.day AND first.created_at <= e.day - interval '7 days'
       )
       SELECT id AS "walletId", least(spent, ${KOBO_MAX})::bigint AS spent,
              least(before / days, ${KOBO_MAX})::bigint AS usual
         FROM days WHERE before > 0 AND spent * days >= ${UNUSUAL_FACTOR} * before
        ORDER BY spent * days / before DESC LIMIT ${ROWS_MAX}`,
      [walletIds],
    );
  }

  returned(walletIds: readonly string[]): Promise<ReturnedPayout[]> {
    return this.database.reads.query<ReturnedPayout>(
      `SELECT t.id, t.wallet_id AS "walletId", t.amount, t.merchant_name AS "merchantName", t.created_at AS "createdAt"
         FROM returned_payments b JOIN transactions t ON t.wallet_id = b.wallet_id AND t.id = b.transaction_id
        WHERE b.wallet_id = ANY ($1::uuid[])
          AND b.approved_at >= statement_timestamp() - interval '90 days'
          AND NOT EXISTS (SELECT FROM refunded_payments r
                           WHERE r.wallet_id = b.wallet_id AND r.transaction_id = b.transaction_id)
        ORDER BY b.approved_at DESC LIMIT ${ROWS_MAX}`,
      [walletIds],
    );
  }
}

function dated<Row extends { readonly lastAt: string }>(
  rows: readonly Row[],
): (Omit<Row, 'lastAt'> & { readonly lastAt: Date })[] {
  return rows.map((row) => ({ ...row, lastAt: new Date(row.lastAt) }));
}
