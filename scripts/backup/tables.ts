/** The tables and sequences of the service, from PostgreSQL's catalog. */
import type { ClientBase } from 'pg';

const SCHEMAS = ['public', 'graphile_worker'];
/** Written by the migrations themselves. */
const OF_MIGRATIONS = ['public.migrations', 'graphile_worker.migrations', 'public.migrations_id_seq'];

export interface Table {
  /** Quoted where needed, with its schema. */
  readonly name: string;
  /** Quoted where needed; without generated ones. */
  readonly columns: readonly string[];
}

export interface Sequence {
  readonly name: string;
  readonly value: string;
  readonly isCalled: boolean;
}

export interface Schema {
  /** Names of the service's migrations. */
  readonly migrations: readonly string[];
  /** Number of graphile-worker's newest migration; 0: none. */
  readonly jobs: number;
  /** Referenced tables come before those that refer to them. */
  readonly tables: readonly Table[];
  readonly sequences: readonly Sequence[];
}

/** Ends no statement early; for sessions of commands that read or write whole tables. */
export async function allowLongStatements(client: ClientBase): Promise<void> {
  await client.query(
    `SELECT set_config(name, '0', false) FROM pg_settings
      WHERE name IN ('statement_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`,
  );
  await client.query(`SET lock_timeout = '60s'; SET timezone = 'UTC'; SET datestyle = 'ISO'; SET bytea_output = 'hex';
    SET extra_float_digits = 3; SET intervalstyle = 'postgres'; SET search_path = public, pg_catalog; SET client_encoding = 'UTF8'`);
}

export async function readTables(client: ClientBase): Promise<Table[]> {
  const { rows } = await client.query<Table & { parents: string[] }>(
    `SELECT format('%I.%I', n.nspname, c.relname) AS name,
            ARRAY(SELECT quote_ident(a.attname) FROM pg_attribute a
                   WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
                   ORDER BY a.attnum) AS columns,
            ARRAY(SELECT format('%I.%I', pn.nspname, p.relname)
                    FROM pg_constraint f JOIN pg_class p ON p.oid = f.confrelid JOIN pg_namespace pn ON pn.oid = p.relnamespace
                   WHERE f.conrelid = c.oid AND f.contype = 'f' AND f.confrelid <> c.oid) AS parents
       FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = ANY($1) AND c.relkind IN ('r', 'p') AND format('%I.%I', n.nspname, c.relname) <> ALL($2)
      ORDER BY n.nspname DESC, c.relname`,
    [SCHEMAS, OF_MIGRATIONS],
  );
  const ordered: typeof rows = [];
  const names = new Set<string>();
  while (ordered.length < rows.length) {
    const next = rows.find(
      ({ name, parents }) => !names.has(name) && parents.every((each) => names.has(each)),
    );
    if (!next) throw new Error('Tables refer to each other in a circle');
    ordered.push(next);
    names.add(next.name);
  }
  return ordered.map(({ name, columns }) => ({ name, columns }));
}

export async function readSchema(client: ClientBase): Promise<Schema> {
  const tables = await readTables(client);
  const { rows: found } = await client.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, sequencename) AS name FROM pg_sequences
      WHERE schemaname = ANY($1) AND format('%I.%I', schemaname, sequencename) <> ALL($2) ORDER BY 1`,
    [SCHEMAS, OF_MIGRATIONS],
  );
  const sequences: Sequence[] = [];
  for (const { name } of found) {
    const { rows } = await client.query<Sequence>(
      `SELECT $1 AS name, last_value::text AS value, is_called AS "isCalled" FROM ${name}`,
      [name],
    );
    sequences.push(...rows);
  }
  return { tables, sequences, ...(await readMigrations(client)) };
}

async function readMigrations(client: ClientBase): Promise<Pick<Schema, 'migrations' | 'jobs'>> {
  const { rows: known } = await client.query<{ isThere: boolean }>(
    `SELECT to_regclass('public.migrations') IS NOT NULL AND to_regclass('graphile_worker.migrations') IS NOT NULL AS "isThere"`,
  );
  if (!known[0]?.isThere) return { migrations: [], jobs: 0 };
  const { rows: done } = await client.query<{ name: string }>(
    'SELECT name FROM public.migrations ORDER BY id',
  );
  const { rows: jobs } = await client.query<{ id: number }>(
    'SELECT coalesce(max(id), 0)::integer AS id FROM graphile_worker.migrations',
  );
  return { migrations: done.map(({ name }) => name), jobs: jobs[0]?.id ?? 0 };
}

/** Names of tables outside PostgreSQL's own schemas that hold a row, apart from those of the migrations. */
export async function tablesWithRows(client: ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'p') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
        AND format('%I.%I', n.nspname, c.relname) <> ALL($1) ORDER BY 1`,
    [OF_MIGRATIONS],
  );
  const filled: string[] = [];
  for (const { name } of rows) {
    const found = await client.query(`SELECT FROM ${name} LIMIT 1`);
    if (found.rowCount) filled.push(name);
  }
  return filled;
}
