import { Injectable } from '@nestjs/common';
import { KOBO_MAX } from '../../../kernel/money.js';
import { Database } from '../../../platform/database/database.js';
import type { WindowRelease } from '../../wallet/keys/key-windows.port.js';

export interface ReleaseQuery {
  readonly walletId: string;
  /** ISO 8601: the end of the window. */
  readonly now: string;
  /** Days of exactly 24 hours. */
  readonly days: number;
  readonly room: number;
  /** Counts only spend before this attempt; null: all. */
  readonly before: string | null;
}

const SEQ_MAX = '9223372036854775807';
const DAY_MS = 24 * 60 * 60_000;

/**
 * Finds the first attempt after whose leaving at most `room` of the spend is left: the running total, less
 * the total then, less refunds since. That never grows, so a binary search finds it in some twenty seeks.
 */
const RELEASE = `
  WITH RECURSIVE asked AS MATERIALIZED (
    SELECT last.seq, last.created_at AS at, last.spent_total AS total, coalesce(before.seq, 0) AS before
      FROM (SELECT coalesce((SELECT b.seq FROM transactions b WHERE b.wallet_id = $1 AND b.id = $5::uuid),
                            ${SEQ_MAX}::bigint) AS seq) bound
      JOIN LATERAL (
        SELECT t.seq, t.created_at, t.spent_total FROM transactions t
         WHERE t.wallet_id = $1 AND t.seq <= bound.seq
         ORDER BY t.seq DESC LIMIT 1
      ) last ON true
      LEFT JOIN LATERAL (
        SELECT t.seq FROM transactions t
         WHERE t.wallet_id = $1 AND t.created_at <= $2::timestamptz - $3::integer * interval '24 hours'
         ORDER BY t.created_at DESC, t.seq DESC LIMIT 1
      ) before ON true
  ), search (low, high, at, left_over) AS (
    SELECT a.before, a.seq, a.at, 0::numeric FROM asked a
     UNION ALL
    SELECT CASE WHEN n.left_over > $4::bigint THEN n.seq ELSE s.low END,
           CASE WHEN n.left_over > $4::bigint THEN s.high ELSE n.seq END,
           CASE WHEN n.left_over > $4::bigint THEN s.at ELSE n.created_at END,
           CASE WHEN n.left_over > $4::bigint THEN s.left_over ELSE n.left_over END
      FROM search s CROSS JOIN asked a CROSS JOIN LATERAL (
        SELECT m.seq, m.created_at, a.total - (
                 SELECT t.spent_total FROM transactions t
                  WHERE t.wallet_id = $1 AND t.created_at <= m.created_at AND t.seq <= a.seq
                  ORDER BY t.created_at DESC, t.seq DESC LIMIT 1
               ) - coalesce((
                 SELECT sum(r.amount) FROM refunded_payments r
                  WHERE r.wallet_id = $1 AND r.approved_at > m.created_at AND r.approved_at <= a.at
               ), 0) AS left_over
          FROM transactions m WHERE m.wallet_id = $1 AND m.seq = (s.low + s.high) / 2 LIMIT 1
      ) n WHERE s.high - s.low > 1
  )
  SELECT s.at, least(s.left_over, ${KOBO_MAX})::bigint AS spent FROM search s ORDER BY s.high - s.low LIMIT 1`;

/** Finds when spend leaves a window. */
@Injectable()
export class WindowReleaseStore {
  constructor(private readonly database: Database) {}

  /** When at most `room` of the window's spend is left; null if nothing was ever spent. */
  async releaseOf({ walletId, now, days, room, before }: ReleaseQuery): Promise<WindowRelease | null> {
    const [found] = await this.database.reads.query<WindowRelease>(RELEASE, [
      walletId,
      now,
      days,
      room,
      before,
    ]);
    return found ? { at: new Date(found.at.getTime() + days * DAY_MS), spent: found.spent } : null;
  }
}
