import type pg from 'pg';
import { readConfig } from '../src/platform/config.js';
import type { Queryable } from '../src/platform/database/tx.js';
import { BODIES_ARCHIVE } from '../src/contexts/funding/inbound-archive.store.js';
import { FACTS_ARCHIVE } from '../src/contexts/payments/transactions/facts-archive.store.js';
import {
  ARCHIVE_AFTER_DAYS,
  type ArchivedBatch,
  archiveBatch,
  countArchivable,
} from '../src/contexts/settlement/settlement-archive.store.js';
import { runCommand, withOwner } from './database.js';
import { readFlags } from './flags.js';
import { ARCHIVE } from './usage.js';

const SAY_MS = 2_000;
/** Held while it runs. */
const ARCHIVE_LOCK = 7_310_421;
/** Payments queue behind a waiting lock of a table. */
const LOCK_TIMEOUT = '2s';

const say = (line: string): void => void process.stderr.write(`${line}\n`);

interface Kind {
  readonly what: string;
  /** Continues "3 stay, as …". */
  readonly stays: string;
  readonly table: string;
  readonly archive: string;
  readonly count: (
    before: Date,
    database: Queryable,
  ) => Promise<{ rows: number; bytes: number; stay: number }>;
  readonly move: (before: Date, after: string | null, database: Queryable) => Promise<ArchivedBatch>;
}

const KINDS: readonly Kind[] = [
  {
    what: 'settlements approved',
    stays: 'they or a case about them are open',
    table: 'settlements',
    archive: 'archived_settlements',
    count: countArchivable,
    move: archiveBatch,
  },
  {
    what: 'bodies of inbound webhooks received',
    stays: 'their transfers are open',
    table: 'inbound_transfers',
    archive: 'archived_bodies',
    ...BODIES_ARCHIVE,
  },
  {
    what: 'facts of attempts made',
    stays: 'the payments wait for approval',
    table: 'transactions',
    archive: 'archived_facts',
    ...FACTS_ARCHIVE,
  },
];

async function main(): Promise<number> {
  const { before: month = '', 'dry-run': isDry } = readFlags(ARCHIVE.help, ARCHIVE.options);
  if (!/^20\d\d-(0[1-9]|1[0-2])$/.test(month)) {
    say('--before must name a month such as 2026-06; see --help');
    return 2;
  }
  const before = new Date(`${month}-01T00:00:00Z`);
  return withOwner(readConfig(process.env), say, 'npm run archive', async (client) => {
    await prepare(client, month, before);
    let [freed, grown] = [0, 0];
    for (const kind of KINDS) {
      const { rows, bytes, stay } = await kind.count(before, queryableOf(client));
      const staying = stay > 0 ? `; ${number(stay)} stay, as ${kind.stays}` : '';
      const moved = isDry ? { rows, bytes, grown: 0 } : await archive(client, kind, before, rows);
      freed += moved.bytes;
      grown += moved.grown;
      const done = isDry ? 'would move' : 'archived';
      process.stdout.write(
        `${number(moved.rows)} ${kind.what} before ${month} ${done}, ${megabytes(moved.bytes)}${staying}\n`,
      );
    }
    process.stdout.write(
      isDry
        ? `Nothing is moved yet: ${megabytes(freed)} would be free for new rows.\n`
        : `Nothing is left to archive: ${megabytes(freed)} are free for new rows, the archive took ${megabytes(grown)}.\n`,
    );
    return 0;
  });
}

/** Throws if it may not run now. */
async function prepare(client: pg.Client, month: string, before: Date): Promise<void> {
  await client.query(`SET lock_timeout = '${LOCK_TIMEOUT}'`);
  const { rows } = await client.query<{ isAlone: boolean; isThere: boolean; isYoung: boolean }>(
    `SELECT pg_try_advisory_lock($1) AS "isAlone", to_regclass('public.archived_facts') IS NOT NULL AS "isThere",
            $2::timestamptz > clock_timestamp() - $3 * interval '1 day' AS "isYoung"`,
    [ARCHIVE_LOCK, before, ARCHIVE_AFTER_DAYS],
  );
  const [state] = rows;
  if (!state?.isThere) throw new Error('The database lacks the archive; run npm run migration:run first');
  if (!state.isAlone) throw new Error('Another npm run archive works on this database');
  if (state.isYoung)
    throw new Error(
      `--before ${month}: a month is archived ${ARCHIVE_AFTER_DAYS} days after its end; name an earlier one`,
    );
}

/** Moves all of a kind. `grown`: bytes that the archive took. */
async function archive(
  client: pg.Client,
  { what, table, archive: to, move }: Kind,
  before: Date,
  total: number,
): Promise<{ rows: number; bytes: number; grown: number }> {
  const database = queryableOf(client);
  const size = await sizeOf(database, to);
  let [rows, bytes] = [0, 0];
  let next: string | null = null;
  let sayAt = performance.now() + SAY_MS;
  do {
    const batch: ArchivedBatch = await move(before, next, database);
    rows += batch.rows;
    bytes += batch.bytes;
    next = batch.next;
    if (performance.now() >= sayAt) {
      sayAt = performance.now() + SAY_MS;
      say(`${number(rows)} of ${number(total)} ${what} before, archived…`);
    }
  } while (next !== null);
  if (rows > 0) {
    say(`Vacuuming ${table}…`);
    await client.query(`VACUUM (ANALYZE, TRUNCATE false) ${table}, ${to}`);
  }
  return { rows, bytes, grown: (await sizeOf(database, to)) - size };
}

async function sizeOf(database: Queryable, table: string): Promise<number> {
  const [row] = await database.query<{ bytes: number }>(
    'SELECT pg_total_relation_size($1::regclass)::float8 AS bytes',
    [table],
  );
  return row?.bytes ?? 0;
}

function queryableOf(client: pg.Client): Queryable {
  return {
    query: async <Row>(text: string, values: readonly unknown[] = []) =>
      (await client.query(text, [...values])).rows as Row[],
  };
}

const number = (value: number): string => value.toLocaleString('en');
const megabytes = (bytes: number): string =>
  `${(bytes / 1e6).toLocaleString('en', { maximumFractionDigits: 1 })} MB`;

runCommand(main, 'Not all is archived. ');
