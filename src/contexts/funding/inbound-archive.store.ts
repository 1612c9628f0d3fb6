import { CLOCKS_APART_MS, leastIdAt } from '../../kernel/ids.js';
import type { Queryable } from '../../platform/database/tx.js';
import { IS_OPEN } from './inbound-transfers.store.js';

const ARCHIVE_BATCH = 1_000;
const BODIES_PER_ROW = 100;

const DUE = `t.id > $1::uuid AND t.id < $2::uuid AND t.received_at < $3 AND t.status <> 'ignored' AND t.body <> ''`;

const parameters = (before: Date, after: string | null) => [
  after ?? leastIdAt(0),
  leastIdAt(before.getTime() + CLOCKS_APART_MS),
  before,
];

/** Moves bodies received before `before`, those after the transfer `after`, in one statement. */
export async function archiveBodies(before: Date, after: string | null, database: Queryable) {
  const [moved] = await database.query<{ rows: number; bytes: number; last: string | null }>(
    `WITH due AS MATERIALIZED (
       SELECT t.id, t.body, pg_column_size(t.body) AS bytes FROM inbound_transfers t
        WHERE ${DUE} AND NOT (${IS_OPEN}) ORDER BY t.id LIMIT $4 FOR UPDATE OF t SKIP LOCKED
     ), emptied AS (
       UPDATE inbound_transfers t SET body = '' FROM due WHERE t.id = due.id
     ), added AS (
       INSERT INTO archived_bodies (last_id, first_id, ids, bodies)
       SELECT (array_agg(id ORDER BY id DESC))[1], (array_agg(id ORDER BY id))[1], array_agg(id ORDER BY id),
              array_agg(body ORDER BY id)
         FROM (SELECT d.*, (row_number() OVER (ORDER BY d.id) - 1) / $5::integer AS place FROM due d) d GROUP BY place
     )
     SELECT count(*)::integer AS rows, coalesce(sum(bytes), 0)::float8 AS bytes, (array_agg(id ORDER BY id DESC))[1] AS last
       FROM due`,
    [...parameters(before, after), ARCHIVE_BATCH, BODIES_PER_ROW],
  );
  const { rows, bytes, last } = moved as { rows: number; bytes: number; last: string | null };
  return { rows, bytes, next: rows < ARCHIVE_BATCH ? null : last };
}

/** Counts what would move, and what would stay because its transfer is open. */
export async function countBodies(before: Date, database: Queryable) {
  const [found] = await database.query<{ rows: number; bytes: number; stay: number }>(
    `SELECT (count(*) FILTER (WHERE NOT is_open))::float8 AS rows, (count(*) FILTER (WHERE is_open))::float8 AS stay,
            coalesce(sum(bytes) FILTER (WHERE NOT is_open), 0)::float8 AS bytes
       FROM (SELECT (${IS_OPEN}) AS is_open, pg_column_size(t.body) AS bytes FROM inbound_transfers t WHERE ${DUE}) t`,
    parameters(before, null),
  );
  return found as { rows: number; bytes: number; stay: number };
}
