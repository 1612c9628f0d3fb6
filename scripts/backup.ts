import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { readConfig } from '../src/platform/config.js';
import { dataFolder } from '../src/platform/database/embedded/data-folder.js';
import { releaseOf } from '../src/platform/observability/release.js';
import { type Rows, refuseExisting, totalRows, writeBackup } from './backup/file.js';
import { allowLongStatements, readSchema, readTables, type Schema, type Table } from './backup/tables.js';
import { runCommand, withOwner } from './database.js';
import { readFlags } from './flags.js';
import { BACKUP } from './usage.js';

const SAY_MS = 2_000;
const TRIES_MAX = 3;

const say = (line: string): void => void process.stderr.write(`${line}\n`);

async function main(): Promise<number> {
  const { to } = readFlags(BACKUP.help, BACKUP.options);
  if (!to) {
    say('--to must name a file; see --help');
    return 2;
  }
  const path = resolve(to);
  refuseExisting(path);
  if (!existsSync(dirname(path))) throw new Error(`There is no folder ${dirname(path)}; make it first`);
  const stopping = new AbortController();
  const stop = (): void => stopping.abort(new Error('It was stopped.'));
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stop);
  const config = readConfig(process.env);
  return withOwner(config, say, 'npm run backup', async (client, urls) => {
    const { asOwner } = await import('../src/platform/database/migrate.js');
    await asOwner(urls, () => backUp(client, path, releaseOf(config).version, stopping.signal));
    if (!config.JWT_SECRET) {
      const dir = config.DATABASE_URL ? config.DATA_DIR : dataFolder(config.DATA_DIR).dir;
      say(`The generated JWT_SECRET is not in it: keep ${join(resolve(dir), 'jwt-secret')}, too.`);
    }
    return 0;
  });
}

async function backUp(client: pg.Client, path: string, release: string, signal: AbortSignal): Promise<void> {
  const beganAt = performance.now();
  await allowLongStatements(client);
  // Fails instead of leaving rows out.
  await client.query('SET row_security = off');
  const { takenAt, ...schema } = await openSnapshot(client);
  const progress = progressOf(schema);
  const { bytes, sha256, trailer } = await writeBackup(
    path,
    { release, takenAt, ...schema },
    (table) => rowsOf(client, table, progress),
    signal,
  );
  await client.query('ROLLBACK');
  const seconds = ((performance.now() - beganAt) / 1_000).toFixed(1);
  process.stdout.write(
    `Backed up ${totalRows(trailer).toLocaleString('en')} rows of ${schema.tables.length} tables as of ${takenAt} in ` +
      `${seconds} s: ${path}, ${megabytes(bytes)}, SHA-256 ${sha256}\n`,
  );
}

/**
 * One moment of all tables. They are locked against migrations before the snapshot is taken: a table rewritten after it would
 * look empty.
 */
async function openSnapshot(client: pg.Client): Promise<Schema & { takenAt: string }> {
  for (let tries = 1; ; tries += 1) {
    const before = await readTables(client);
    if (before.length === 0)
      throw new Error('There is nothing to back up: no service ever used this database');
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await client.query(`LOCK TABLE ${before.map(({ name }) => name).join(', ')} IN ACCESS SHARE MODE`);
    const takenAt = await databaseTime(client);
    const schema = await readSchema(client);
    if (JSON.stringify(schema.tables) === JSON.stringify(before)) return { takenAt, ...schema };
    await client.query('ROLLBACK');
    if (tries === TRIES_MAX)
      throw new Error('The schema keeps changing; back up when no release is being rolled out');
  }
}

async function databaseTime(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ now: Date }>('SELECT clock_timestamp() AS now');
  return (rows[0]?.now ?? new Date(NaN)).toISOString();
}

function rowsOf(
  client: pg.Client,
  { name, columns }: Table,
  progress: (table: string, bytes: number) => void,
): Rows {
  const copy = client.query(copyTo(`COPY ${name} (${columns.join(', ')}) TO STDOUT`));
  return {
    count: () => copy.rowCount,
    async *[Symbol.asyncIterator]() {
      for await (const chunk of copy as AsyncIterable<Buffer>) {
        progress(name, chunk.length);
        yield chunk;
      }
    },
  };
}

/** One line every {@link SAY_MS} at most. */
function progressOf({ tables }: Schema): (table: string, bytes: number) => void {
  let next = performance.now() + SAY_MS;
  let total = 0;
  return (table, bytes) => {
    total += bytes;
    if (performance.now() < next) return;
    next = performance.now() + SAY_MS;
    const place = tables.findIndex(({ name }) => name === table) + 1;
    say(`${megabytes(total)} of rows, in table ${place} of ${tables.length} (${table})…`);
  };
}

const megabytes = (bytes: number): string =>
  `${(bytes / 1e6).toLocaleString('en', { maximumFractionDigits: 1 })} MB`;

runCommand(main, 'There is no backup. ');
