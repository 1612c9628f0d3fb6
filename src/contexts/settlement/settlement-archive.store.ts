import { CLOCKS_APART_MS, leastIdAt } from '../../kernel/ids.js';
import type { Queryable } from '../../platform/database/tx.js';

const KEPT = `reference, wallet_id, amount, account_no, bank_code, narration, is_withdrawal, status, approved_at,
  poll_count, submitted_at, request_id, trace_parent`;

/** SQL: `stepsOf(PAID)` at a time. */
const stepsOfPaid = (at: string): string =>
  `jsonb_build_array(jsonb_build_object('type', 'settlement.succeeded', 'detail', '{}'::jsonb,
     'at', to_char(${at} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))`;

/** SQL: steps of a row of `archived_settlements`. */
export const archivedSteps = (row: string): string =>
  `coalesce(${row}.steps, ${stepsOfPaid(`${row}.paid_at`)})`;

export const ARCHIVED = `(SELECT ${KEPT}, ${archivedSteps('a')} AS steps FROM archived_settlements a)`;

/** SQL: settlements and archived ones; each is in one of the two. */
export const ALL_SETTLEMENTS = `(SELECT ${KEPT}, steps FROM settlements
  UNION ALL SELECT ${KEPT}, ${archivedSteps('a')} FROM archived_settlements a)`;

/** Days from the end of a month until it may be archived: long after a bank takes payouts back. */
export const ARCHIVE_AFTER_DAYS = 90;
const ARCHIVE_BATCH = 1_000;
/** Anything but what the stored time makes again to the byte stays as it is. */
const PAID_AT = `CASE WHEN jsonb_array_length(s.steps) = 1
  AND s.steps -> 0 ->> 'at' ~ '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$'
  AND s.steps = ${stepsOfPaid(`(s.steps -> 0 ->> 'at')::timestamptz`)} THEN (s.steps -> 0 ->> 'at')::timestamptz END`;

/** Ended, and in no open case. */
const DUE = `s.reference > $1::uuid AND s.reference < $2::uuid AND s.approved_at < $3 AND s.next_poll_at IS NULL
  AND NOT EXISTS (SELECT FROM operator_cases c WHERE c.subject = s.reference::text AND c.closed_at IS NULL)`;

export interface ArchivedBatch {
  readonly rows: number;
  readonly bytes: number;
  /** Null at the end. */
  readonly next: string | null;
}

const parameters = (before: Date, after: string | null) => [
  after ?? leastIdAt(0),
  leastIdAt(before.getTime() + CLOCKS_APART_MS),
  before,
];

/** Moves settlements approved before `before`, those after the reference `after`, in one statement. */
export async function archiveBatch(
  before: Date,
  after: string | null,
  database: Queryable,
  limit = ARCHIVE_BATCH,
): Promise<ArchivedBatch> {
  const [moved] = await database.query<{ rows: number; bytes: number; last: string | null }>(
    `WITH due AS MATERIALIZED (
       SELECT s.reference, s.wallet_id FROM settlements s WHERE ${DUE}
        ORDER BY s.reference LIMIT $4 FOR UPDATE SKIP LOCKED
     ), moved AS (
       DELETE FROM settlements s USING due WHERE s.reference = due.reference AND s.wallet_id = due.wallet_id
       RETURNING s.*
     ), read AS MATERIALIZED (
       SELECT s.*, ${PAID_AT} AS paid_at, pg_column_size(s.*) AS bytes FROM moved s
     ), added AS (
       INSERT INTO archived_settlements (${KEPT}, paid_at, steps)
       SELECT ${KEPT}, paid_at, CASE WHEN paid_at IS NULL THEN steps END FROM read ORDER BY reference RETURNING reference
     )
     SELECT (SELECT count(*)::integer FROM added) AS rows, (SELECT coalesce(sum(bytes), 0)::float8 FROM read) AS bytes,
            (SELECT reference FROM added ORDER BY reference DESC LIMIT 1) AS last`,
    [...parameters(before, after), limit],
  );
  const { rows, bytes, last } = moved as { rows: number; bytes: number; last: string | null };
  return { rows, bytes, next: rows < limit ? null : last };
}

/** Counts what would move, and what would stay because it is open or in an open case. */
export async function countArchivable(
  before: Date,
  database: Queryable,
): Promise<{ readonly rows: number; readonly bytes: number; readonly stay: number }> {
  const [found] = await database.query<{ rows: number; bytes: number; stay: number }>(
    `SELECT (count(*) FILTER (WHERE due))::float8 AS rows, (count(*) FILTER (WHERE NOT due))::float8 AS stay,
            coalesce(sum(bytes) FILTER (WHERE due), 0)::float8 AS bytes
       FROM (SELECT (${DUE}) AS due, pg_column_size(s.*) AS bytes FROM settlements s
              WHERE s.reference < $2::uuid AND s.approved_at < $3) s`,
    parameters(before, null),
  );
  return found as { rows: number; bytes: number; stay: number };
}
