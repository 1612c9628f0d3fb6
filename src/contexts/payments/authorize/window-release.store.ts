import { Injectable } from '@nestjs/common';
import { KOBO_MAX } from '../../../kernel/money.js';
import { Database } from '../../../platform/database/database.js';

interface ReleaseQuery {
  readonly walletId: string;
  /** ISO 8601: the end of the window. */
  readonly now: string;
  /** Days of exactly 24 hours. */
  readonly days: number;
  readonly room: number;
}

/** When enough has left a window, and what is left of its spend, in kobo. */
export interface WindowRelease {
  readonly at: Date;
  readonly spent: number;
}

/** Rows that carry a running total. `$1` is the wallet, `$2` the end of the window, `$5` the subject's own. */
interface RunningTotals {
  readonly table: string;
  readonly time: string;
  readonly own: (row: string) => string;
  /** The last row that counts. */
  readonly last: (row: string) => string;
  readonly refunds: string;
}

const SEQ_MAX = '9223372036854775807';

/** `$5`: counts only spend before this attempt; null: all. */
const OF_WALLET: RunningTotals = {
  table: 'transactions',
  time: 'created_at',
  own: (row) => `${row}.wallet_id = $1`,
  last: (
    row,
  ) => `${row}.seq <= coalesce((SELECT b.seq FROM transactions b WHERE b.wallet_id = $1 AND b.id = $5::uuid),
                                         ${SEQ_MAX}::bigint) ORDER BY ${row}.seq DESC`,
  refunds: 'refunded_payments r WHERE r.wallet_id = $1',
};

/** `$5`: the key. */
const OF_KEY: RunningTotals = {
  table: 'api_key_payments',
  time: 'approved_at',
  own: (row) => `${row}.wallet_id = $1 AND ${row}.key_id = $5::uuid`,
  last: (row) => `${row}.approved_at <= $2::timestamptz ORDER BY ${row}.approved_at DESC, ${row}.seq DESC`,
  refunds: 'api_key_payments r WHERE r.wallet_id = $1 AND r.key_id = $5::uuid AND r.is_refunded',
};

/**
 * Finds the first row after whose leaving at most `room` of the spend is left. That never grows: a binary
 * search of some twenty seeks.
 */
const releaseOf = ({ table, time, own, last, refunds }: RunningTotals) => `
  WITH RECURSIVE asked AS MATERIALIZED (
    SELECT last.seq, last.at, last.total, coalesce(before.seq, 0) AS before
      FROM (
        SELECT t.seq, t.${time} AS at, t.spent_total AS total FROM ${table} t WHERE ${own('t')} AND ${last('t')} LIMIT 1
      ) last
      LEFT JOIN LATERAL (
        SELECT t.seq FROM ${table} t
         WHERE ${own('t')} AND t.${time} <= $2::timestamptz - $3::integer * interval '24 hours'
         ORDER BY t.${time} DESC, t.seq DESC LIMIT 1
      ) before ON true
  ), search (low, high, at, left_over) AS (
    SELECT a.before, a.seq, a.at, 0::numeric FROM asked a
     UNION ALL
    SELECT CASE WHEN n.left_over > $4::bigint THEN n.seq ELSE s.low END,
           CASE WHEN n.left_over > $4::bigint THEN s.high ELSE n.seq END,
           CASE WHEN n.left_over > $4::bigint THEN s.at ELSE n.at END,
           CASE WHEN n.left_over > $4::bigint THEN s.left_over ELSE n.left_over END
      FROM search s CROSS JOIN asked a CROSS JOIN LATERAL (
        SELECT m.seq, m.${time} AS at, a.total - (
                 SELECT t.spent_total FROM ${table} t
                  WHERE ${own('t')} AND t.${time} <= m.${time} AND t.seq <= a.seq
                  ORDER BY t.${time} DESC, t.seq DESC LIMIT 1
               ) - coalesce((
                 SELECT sum(r.amount) FROM ${refunds} AND r.approved_at > m.${time} AND r.approved_at <= a.at
               ), 0) AS left_over
          FROM ${table} m WHERE ${own('m')} AND m.seq = (s.low + s.high) / 2 LIMIT 1
      ) n WHERE s.high - s.low > 1
  )
  SELECT s.at, least(s.left_over, ${KOBO_MAX})::bigint AS spent FROM search s ORDER BY s.high - s.low LIMIT 1`;

const RELEASE_OF_WALLET = releaseOf(OF_WALLET);
const RELEASE_OF_KEY = releaseOf(OF_KEY);

const DAY_MS = 24 * 60 * 60_000;

/** Finds when at most `room` of a window's spend is left; null if nothing was ever spent. */
@Injectable()
export class WindowReleaseStore {
  constructor(private readonly database: Database) {}

  ofWallet({ before, ...query }: ReleaseQuery & { readonly before: string | null }) {
    return this.find(RELEASE_OF_WALLET, query, before);
  }

  ofKey({ keyId, ...query }: ReleaseQuery & { readonly keyId: string }) {
    return this.find(RELEASE_OF_KEY, query, keyId);
  }

  private async find(
    statement: string,
    { walletId, now, days, room }: ReleaseQuery,
    subject: string | null,
  ): Promise<WindowRelease | null> {
    const [found] = await this.database.reads.query<WindowRelease>(statement, [
      walletId,
      now,
      days,
      room,
      subject,
    ]);
    return found ? { at: new Date(found.at.getTime() + days * DAY_MS), spent: found.spent } : null;
  }
}
