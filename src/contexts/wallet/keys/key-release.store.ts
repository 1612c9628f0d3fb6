import { Injectable } from '@nestjs/common';
import { KOBO_MAX } from '../../../kernel/money.js';
import { Database } from '../../../platform/database/database.js';
import { type KeyReleaseQuery, KeyWindows, type WindowRelease } from './key-windows.port.js';

/** Binary search as for wallets, see window-release.store.ts. */
const RELEASE = `
  WITH RECURSIVE asked AS MATERIALIZED (
    SELECT last.seq, last.spent_total AS total, coalesce(before.seq, 0) AS before, last.approved_at AS at
      FROM (
        SELECT p.seq, p.spent_total, p.approved_at FROM api_key_payments p
         WHERE p.wallet_id = $1 AND p.key_id = $2 AND p.approved_at <= $3::timestamptz
         ORDER BY p.approved_at DESC, p.seq DESC LIMIT 1
      ) last
      LEFT JOIN LATERAL (
        SELECT p.seq FROM api_key_payments p
         WHERE p.wallet_id = $1 AND p.key_id = $2
           AND p.approved_at <= $3::timestamptz - $4::integer * interval '24 hours'
         ORDER BY p.approved_at DESC, p.seq DESC LIMIT 1
      ) before ON true
  ), search (low, high, at, left_over) AS (
    SELECT a.before, a.seq, a.at, 0::numeric FROM asked a
     UNION ALL
    SELECT CASE WHEN n.left_over > $5::bigint THEN n.seq ELSE s.low END,
           CASE WHEN n.left_over > $5::bigint THEN s.high ELSE n.seq END,
           CASE WHEN n.left_over > $5::bigint THEN s.at ELSE n.approved_at END,
           CASE WHEN n.left_over > $5::bigint THEN s.left_over ELSE n.left_over END
      FROM search s CROSS JOIN asked a CROSS JOIN LATERAL (
        SELECT m.seq, m.approved_at, a.total - (
                 SELECT p.spent_total FROM api_key_payments p
                  WHERE p.wallet_id = $1 AND p.key_id = $2 AND p.approved_at <= m.approved_at AND p.seq <= a.seq
                  ORDER BY p.approved_at DESC, p.seq DESC LIMIT 1
               ) - coalesce((
                 SELECT sum(p.amount) FROM api_key_payments p
                  WHERE p.wallet_id = $1 AND p.key_id = $2 AND p.is_refunded AND p.approved_at > m.approved_at
                    AND p.approved_at <= a.at
               ), 0) AS left_over
          FROM api_key_payments m WHERE m.wallet_id = $1 AND m.key_id = $2 AND m.seq = (s.low + s.high) / 2 LIMIT 1
      ) n WHERE s.high - s.low > 1
  )
  SELECT s.at, least(s.left_over, ${KOBO_MAX})::bigint AS spent FROM search s ORDER BY s.high - s.low LIMIT 1`;

const DAY_MS = 24 * 60 * 60_000;

@Injectable()
export class KeyReleaseStore extends KeyWindows {
  constructor(private readonly database: Database) {
    super();
  }

  async releaseOf({ walletId, keyId, now, days, room }: KeyReleaseQuery): Promise<WindowRelease | null> {
    const [found] = await this.database.reads.query<WindowRelease>(RELEASE, [
      walletId,
      keyId,
      now,
      days,
      room,
    ]);
    return found ? { at: new Date(found.at.getTime() + days * DAY_MS), spent: found.spent } : null;
  }

  async endsBy(keyId: string, at: Date): Promise<boolean> {
    const ending = await this.database.reads.query(
      'SELECT 1 FROM api_keys WHERE id = $1 AND expires_at <= $2',
      [keyId, at],
    );
    return ending.length > 0;
  }
}
