import { CLOCKS_APART_MS, leastIdAt } from '../../../kernel/ids.js';
import type { Queryable } from '../../../platform/database/tx.js';

const ARCHIVE_BATCH = 1_000;
/** Each read unpacks all. */
const FACTS_PER_ROW = 50;

const DUE = `t.id > $1::uuid AND t.id < $2::uuid AND t.created_at < $3 AND json_typeof(t.facts) <> 'null'`;
const IS_PENDING = `t.approval IS NOT DISTINCT FROM 'pending'`;

const parameters = (before: Date, after: string | null) => [
  after ?? leastIdAt(0),
  leastIdAt(before.getTime() + CLOCKS_APART_MS),
  before,
];

/** Moves facts of attempts made before `before`, those after the attempt `after`, in one statement. */
export async function archiveFacts(before: Date, after: string | null, database: Queryable) {
  const [moved] = await database.query<{ rows: number; bytes: number; last: string | null }>(
    `WITH due AS MATERIALIZED (
       SELECT t.id, t.wallet_id, t.facts, pg_column_size(t.facts) AS bytes FROM transactions t
        WHERE ${DUE} AND NOT ${IS_PENDING} ORDER BY t.id LIMIT $4 FOR UPDATE SKIP LOCKED
     ), emptied AS (
       UPDATE transactions t SET facts = 'null' FROM due WHERE t.id = due.id AND t.wallet_id = due.wallet_id
     ), added AS (
       INSERT INTO archived_facts (last_id, first_id, ids, facts)
       SELECT (array_agg(id ORDER BY id DESC))[1], (array_agg(id ORDER BY id))[1], array_agg(id ORDER BY id),
              array_agg(facts ORDER BY id)
         FROM (SELECT d.*, (row_number() OVER (ORDER BY d.id) - 1) / $5::integer AS place FROM due d) d GROUP BY place
     )
     SELECT count(*)::integer AS rows, coalesce(sum(bytes), 0)::float8 AS bytes, (array_agg(id ORDER BY id DESC))[1] AS last
       FROM due`,
    [...parameters(before, after), ARCHIVE_BATCH, FACTS_PER_ROW],
  );
  const { rows, bytes, last } = moved as { rows: number; bytes: number; last: string | null };
  return { rows, bytes, next: rows < ARCHIVE_BATCH ? null : last };
}

/** Counts what would move, and what would stay because it waits for approval. */
export async function countFacts(before: Date, database: Queryable) {
  const [found] = await database.query<{ rows: number; bytes: number; stay: number }>(
    `SELECT (count(*) FILTER (WHERE NOT pending))::float8 AS rows, (count(*) FILTER (WHERE pending))::float8 AS stay,
            coalesce(sum(bytes) FILTER (WHERE NOT pending), 0)::float8 AS bytes
       FROM (SELECT ${IS_PENDING} AS pending, pg_column_size(t.facts) AS bytes FROM transactions t WHERE ${DUE}) t`,
    parameters(before, null),
  );
  return found as { rows: number; bytes: number; stay: number };
}
