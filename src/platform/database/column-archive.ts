import { CLOCKS_APART_MS, leastIdAt } from '../../kernel/ids.js';
import type { Queryable } from './tx.js';

const VALUES_BATCH = 1_000;

/** SQL, with `t` for a row. Many values to a row of the archive compress. */
interface ArchivedColumn {
  readonly table: string;
  readonly column: string;
  readonly at: string;
  readonly empty: string;
  readonly isLeft: string;
  /** It stays. */
  readonly isOpen: string;
  readonly archive: string;
  readonly values: string;
  readonly perRow: number;
}

export function columnArchive(of: ArchivedColumn) {
  const { table, column, at, empty, isLeft, isOpen, archive, values, perRow } = of;
  const due = `t.id > $1::uuid AND t.id < $2::uuid AND t.${at} < $3 AND ${isLeft}`;
  const range = (before: Date, after: string | null) => [
    after ?? leastIdAt(0),
    leastIdAt(before.getTime() + CLOCKS_APART_MS),
    before,
  ];
  return {
    /** In one statement, those after the id `after`. */
    async move(before: Date, after: string | null, database: Queryable) {
      const [moved] = await database.query<{ rows: number; bytes: number; last: string | null }>(
        `WITH due AS MATERIALIZED (
           SELECT t.id, t.${column}, pg_column_size(t.${column}) AS bytes FROM ${table} t
            WHERE ${due} AND NOT (${isOpen}) ORDER BY t.id LIMIT $4 FOR UPDATE OF t SKIP LOCKED
         ), emptied AS (
           UPDATE ${table} t SET ${column} = '${empty}' FROM due WHERE t.id = due.id
         ), added AS (
           INSERT INTO ${archive} (last_id, first_id, ids, ${values})
           SELECT (array_agg(id ORDER BY id DESC))[1], (array_agg(id ORDER BY id))[1], array_agg(id ORDER BY id),
                  array_agg(${column} ORDER BY id)
             FROM (SELECT d.*, (row_number() OVER (ORDER BY d.id) - 1) / $5::integer AS place FROM due d) d GROUP BY place
         )
         SELECT count(*)::integer AS rows, coalesce(sum(bytes), 0)::float8 AS bytes,
                (array_agg(id ORDER BY id DESC))[1] AS last FROM due`,
        [...range(before, after), VALUES_BATCH, perRow],
      );
      const { rows, bytes, last } = moved as { rows: number; bytes: number; last: string | null };
      return { rows, bytes, next: rows < VALUES_BATCH ? null : last };
    },

    async count(before: Date, database: Queryable) {
      const [found] = await database.query<{ rows: number; bytes: number; stay: number }>(
        `SELECT (count(*) FILTER (WHERE NOT is_open))::float8 AS rows, (count(*) FILTER (WHERE is_open))::float8 AS stay,
                coalesce(sum(bytes) FILTER (WHERE NOT is_open), 0)::float8 AS bytes
           FROM (SELECT (${isOpen}) AS is_open, pg_column_size(t.${column}) AS bytes FROM ${table} t WHERE ${due}) t`,
        range(before, null),
      );
      return found as { rows: number; bytes: number; stay: number };
    },
  };
}
