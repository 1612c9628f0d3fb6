import type { Decision } from '../payments.domain.js';

export type DecisionFilter = Decision;

/** From `from` up to, but without, `to`. */
export interface AttemptFilter {
  readonly decision?: DecisionFilter | undefined;
  readonly from?: Date | null;
  readonly to?: Date | null;
}

/** Attempts numbered without gaps: of a wallet, or of one history in it. */
interface Line {
  /** SQL condition that row `t` belongs; `$6` is a history. */
  readonly of: (t: string) => string;
  readonly seq: string;
  readonly blocked: string;
  /** SQL condition that row `t` is the newest attempt before a time. */
  readonly isNewestBefore: (time: string) => string;
}

const ofHistory = (t: string) => `${t}.wallet_id = $1 AND ${t}.history_id = $6::uuid`;

export const WALLET: Line = {
  of: (t) => `${t}.wallet_id = $1`,
  seq: 'seq',
  blocked: 'blocked_total',
  isNewestBefore: (time) => `t.created_at < ${time} ORDER BY t.created_at DESC, t.seq DESC`,
};
export const HISTORY: Line = {
  of: ofHistory,
  seq: 'history_seq',
  blocked: 'history_blocked_total',
  // Later attempts are never older. A binary search spares payments an index by time.
  isNewestBefore: (time) => `t.history_seq = (
        WITH RECURSIVE search (low, high) AS (
          (SELECT 0::bigint, n.history_seq + 1 FROM transactions n
            WHERE ${ofHistory('n')} AND ${time} IS NOT NULL ORDER BY n.history_seq DESC LIMIT 1)
           UNION ALL
          SELECT CASE WHEN m.created_at < ${time} THEN m.history_seq ELSE s.low END,
                 CASE WHEN m.created_at < ${time} THEN s.high ELSE m.history_seq END
            FROM search s CROSS JOIN LATERAL (
              SELECT m.created_at, m.history_seq FROM transactions m
               WHERE ${ofHistory('m')} AND m.history_seq = (s.low + s.high) / 2 LIMIT 1) m
           WHERE s.high - s.low > 1
        ) SELECT low FROM search WHERE high - low = 1)`,
};

const reviewed = ({ of, seq }: Line, row: string, how: string) => `(
  SELECT count(*) FROM transactions a
   WHERE ${of('a')} AND a.${seq} <= ${row}.${seq} AND a.approval IS NOT NULL AND a.approval ${how})`;

/**
 * Counts attempts of a decision up to a row. Running counts are of request time, so later decisions of owners
 * are added.
 */
const PLACE: Readonly<Record<DecisionFilter | 'any', (line: Line, row: string) => string>> = {
  any: ({ seq }, row) => `${row}.${seq}`,
  approved: (line, row) =>
    `${row}.${line.seq} - ${row}.${line.blocked} - ${reviewed(line, row, `<> 'approved'`)}`,
  blocked: (line, row) => `${row}.${line.blocked} + ${reviewed(line, row, `IN ('denied', 'expired')`)}`,
  pending: (line, row) => reviewed(line, row, `= 'pending'`),
};

export interface Edges {
  readonly low: number;
  readonly high: number;
  readonly seq: number;
  /** Denied and expired attempts, which `blocked_total` leaves out. */
  readonly refused: number;
}

export const edges = (line: Line, decision: DecisionFilter | 'any', last: 'now' | 'up-to') => {
  const columns = `t.${line.seq}, t.${line.blocked}`;
  return `
  SELECT coalesce(${PLACE[decision](line, 'first')}, 0) AS low, coalesce(${PLACE[decision](line, 'last')}, 0) AS high,
         coalesce(last.${line.seq}, 0) AS seq, ${reviewed(line, 'last', `IN ('denied', 'expired')`)} AS refused
    FROM (SELECT 1) one
    LEFT JOIN LATERAL (
      SELECT ${columns} FROM transactions t WHERE ${line.of('t')}
         AND ${line.isNewestBefore('$2::timestamptz')} LIMIT 1
    ) first ON true
    LEFT JOIN LATERAL (
      SELECT ${columns} FROM transactions t WHERE ${line.of('t')} AND ${
        last === 'up-to'
          ? line.isNewestBefore('$3::timestamptz')
          : `$3::timestamptz IS NULL ORDER BY t.${line.seq} DESC`
      } LIMIT 1
    ) last ON true`;
};

/**
 * A page of attempts of a decision, newest first, by binary search. LATERAL with LIMIT makes PostgreSQL seek
 * each row.
 */
export function pageByPlace(
  columns: string,
  line: Line,
  decision: DecisionFilter | 'any',
  last: 'now' | 'up-to',
): string {
  const row = (seq: string) =>
    `CROSS JOIN LATERAL (SELECT * FROM transactions t WHERE ${line.of('t')} AND t.${line.seq} = ${seq} LIMIT 1) t`;
  return `WITH RECURSIVE edges AS MATERIALIZED (${edges(line, decision, last)}),
       range AS MATERIALIZED (
         SELECT low, seq, greatest(high - low, 0) AS total, greatest(high - low - $4::bigint, 0) AS up_to FROM edges
       ), search (place, low, high) AS (
         SELECT place, 0::bigint, r.seq FROM range r
          CROSS JOIN generate_series(r.low + greatest(r.up_to - $5::bigint, 0) + 1, r.low + r.up_to) place
          UNION ALL
         SELECT s.place, CASE WHEN p.place < s.place THEN t.${line.seq} ELSE s.low END,
                CASE WHEN p.place < s.place THEN s.high ELSE t.${line.seq} END
           FROM search s ${row('(s.low + s.high) / 2')}
          CROSS JOIN LATERAL (SELECT ${PLACE[decision](line, 't')} AS place) p
          WHERE s.high - s.low > 1
       )
       SELECT range.total, ${columns} FROM range LEFT JOIN (
         (SELECT high FROM search WHERE high - low = 1) s ${row('s.high')}
       ) ON true ORDER BY t.seq DESC`;
}
