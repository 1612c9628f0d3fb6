import type pg from 'pg';
import { readConfig } from '../src/platform/config.js';
import type { Queryable } from '../src/platform/database/tx.js';
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

async function main(): Promise<number> {
  const { before: month = '', 'dry-run': isDry } = readFlags(ARCHIVE.help, ARCHIVE.options);
  if (!/^20\d\d-(0[1-9]|1[0-2])$/.test(month)) {
    say('--before must name a month such as 2026-06; see --help');
    return 2;
  }
  const before = new Date(`${month}-01T00:00:00Z`);
  return withOwner(readConfig(process.env), say, 'npm run archive', async (client) => {
    await prepare(client, month, before);
    const database = queryableOf(client);
    const { rows, bytes, stay } = await countArchivable(before, database);
    const staying = stay > 0 ? `; ${number(stay)} stay, as they or a case about them are open` : '';
    if (isDry) {
      process.stdout.write(
        `${number(rows)} settlements approved before ${month} would move, ${megabytes(bytes)} of rows${staying}\n`,
      );
      return 0;
    }
    const moved = await archive(database, before, rows);
    if (moved.rows > 0) {
      say('Vacuuming…');
      await client.query('VACUUM (ANALYZE, TRUNCATE false) settlements, archived_settlements');
    }
    process.stdout.write(
      moved.rows === 0
        ? `Nothing is left to archive of what was approved before ${month}${staying}\n`
        : `Archived ${number(moved.rows)} settlements approved before ${month}, ${megabytes(moved.bytes)} of rows${staying}\n`,
    );
    return 0;
  });
}

/** Throws if it may not run now. */
async function prepare(client: pg.Client, month: string, before: Date): Promise<void> {
  await client.query(`SET lock_timeout = '${LOCK_TIMEOUT}'`);
  const { rows } = await client.query<{ isAlone: boolean; isThere: boolean; isYoung: boolean }>(
    `SELECT pg_try_advisory_lock($1) AS "isAlone", to_regclass('public.archived_settlements') IS NOT NULL AS "isThere",
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

async function archive(
  database: Queryable,
  before: Date,
  total: number,
): Promise<Pick<ArchivedBatch, 'rows' | 'bytes'>> {
  let [rows, bytes] = [0, 0];
  let next: string | null = null;
  let sayAt = performance.now() + SAY_MS;
  do {
    const batch: ArchivedBatch = await archiveBatch(before, next, database);
    rows += batch.rows;
    bytes += batch.bytes;
    next = batch.next;
    if (performance.now() >= sayAt) {
      sayAt = performance.now() + SAY_MS;
      say(`${number(rows)} of ${number(total)} settlements moved…`);
    }
  } while (next !== null);
  return { rows, bytes };
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
