import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { readConfig } from '../src/platform/config.js';
import { checkBooks } from './backup/books.js';
import { type Header, readBackup, readHeader, totalRows, type Trailer } from './backup/file.js';
import { allowLongStatements, readSchema, type Table, tablesWithRows } from './backup/tables.js';
import { type OpenDatabase, refuseWhileInUse, runCommand, withOwner } from './database.js';
import { readFlags } from './flags.js';
import { RESTORE } from './usage.js';

const SAY_MS = 2_000;
const LOCK_NOT_AVAILABLE = '55P03';

const say = (line: string): void => void process.stderr.write(`${line}\n`);

async function main(): Promise<number> {
  const { from, check, books } = readFlags(RESTORE.help, RESTORE.options, undefined, RESTORE.wrong);
  if (books) return onDatabase((client) => verdict(client, 'Computed again'));
  if (!from) {
    say('--from must name a file that npm run backup made; see --help');
    return RESTORE.wrong;
  }
  const path = resolve(from);
  const header = await readHeader(path);
  if (check) {
    const trailer = await checkFile(path);
    process.stdout.write(
      `${path} is whole: ${totalRows(trailer).toLocaleString('en')} rows of ${header.tables.length} tables, taken at ` +
        `${header.takenAt} by release ${header.release}\n`,
    );
    return 0;
  }
  return onDatabase((client, urls) => restore(path, header, urls, client));
}

function onDatabase(work: (client: pg.Client, urls: OpenDatabase) => Promise<number>): Promise<number> {
  return withOwner(readConfig(process.env), say, 'npm run restore', async (client, urls) => {
    await allowLongStatements(client);
    return work(client, urls);
  });
}

async function checkFile(path: string): Promise<Trailer> {
  return readBackup(path, {
    progress: progress('Checking the file'),
    table: async (_, rows) => {
      for await (const _chunk of rows);
    },
  });
}

async function restore(path: string, header: Header, urls: OpenDatabase, client: pg.Client): Promise<number> {
  const { asOwner, migrate, unknownMigrations } = await import('../src/platform/database/migrate.js');
  const { MIGRATION_LOCK } = await import('../src/platform/database/migration-lock.js');
  const unknown = unknownMigrations(header.migrations);
  if (unknown.length > 0)
    throw new Error(
      `${path} was made by release ${header.release}, whose schema this release does not know (${unknown.join(', ')}): ` +
        `restore with release ${header.release} or newer`,
    );
  await refuse(client, urls);
  await checkFile(path);
  return asOwner(urls, async () => {
    await migrate(urls, say, { only: header.migrations });
    await lockMigrations(client, MIGRATION_LOCK);
    // Again: a service that starts from here on waits for the lock.
    await refuse(client, urls);
    await requireSchema(client, header);
    const trailer = await copyAll(client, path, header);
    await client.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]);
    say('Gathering statistics…');
    await client.query('ANALYZE');
    await migrate(urls, say);
    return verdict(
      client,
      `Restored ${totalRows(trailer).toLocaleString('en')} rows, taken at ${header.takenAt}`,
    );
  });
}

/** Waits: a session that just ended keeps the lock for a moment. */
async function lockMigrations(client: pg.Client, lock: number): Promise<void> {
  await client.query('SELECT pg_advisory_lock($1)', [lock]).catch((cause: unknown) => {
    if ((cause as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw cause;
    throw new Error('Another process migrates this database: a service starts on it; stop that first', {
      cause,
    });
  });
}

async function refuse(client: pg.Client, urls: OpenDatabase): Promise<void> {
  await refuseWhileInUse(client, urls);
  const filled = await tablesWithRows(client);
  if (filled.length > 0)
    throw new Error(
      `The database is not empty (${filled.slice(0, 3).join(', ')}${filled.length > 3 ? ', …' : ''}): restore into a new one, ` +
        'by another DATABASE_URL or DATA_DIR',
    );
}

/** Throws unless the migrated schema is that of the backup. */
async function requireSchema(client: pg.Client, header: Header): Promise<void> {
  const schema = await readSchema(client);
  const known = new Map(schema.tables.map(({ name, columns }) => [name, columns]));
  const lacks = [
    ...header.tables.flatMap(({ name, columns }) => {
      const there = known.get(name);
      if (!there) return [name];
      return columns.filter((column) => !there.includes(column)).map((column) => `${name}.${column}`);
    }),
    ...header.sequences
      .map(({ name }) => name)
      .filter((name) => !schema.sequences.some((each) => each.name === name)),
    ...(header.jobs === schema.jobs ? [] : [`graphile-worker's migration ${header.jobs} as the newest`]),
  ];
  const more = schema.migrations.filter((name) => !header.migrations.includes(name));
  if (more.length > 0)
    throw new Error(
      `The database has migrations that the backup lacks (${more.join(', ')}): restore into a new one`,
    );
  if (lacks.length > 0)
    throw new Error(
      `The schema of the backup has ${lacks.join(', ')}, which that of this release lacks: restore with release ` +
        `${header.release}, or create it first where it is your own`,
    );
}

/** All rows in one transaction, with all constraints and triggers in force. */
async function copyAll(client: pg.Client, path: string, header: Header): Promise<Trailer> {
  await client.query('BEGIN');
  try {
    const counts = new Map<string, number>();
    const trailer = await readBackup(path, {
      progress: progress('Restoring'),
      table: async (table, rows) => void counts.set(table.name, await copyRows(client, table, rows)),
    });
    for (const [name, { rows }] of Object.entries(trailer.tables)) {
      if (counts.get(name) !== rows)
        throw new Error(`${name} got ${counts.get(name)} rows instead of ${rows}`);
    }
    for (const { name, value, isCalled } of header.sequences)
      await client.query('SELECT setval($1::regclass, $2::bigint, $3)', [name, value, isCalled]);
    await client.query('COMMIT');
    return trailer;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

async function copyRows(
  client: pg.Client,
  { name, columns }: Table,
  rows: AsyncIterable<Buffer>,
): Promise<number> {
  const copy = client.query(copyFrom(`COPY ${name} (${columns.join(', ')}) FROM STDIN`));
  await pipeline(Readable.from(rows, { objectMode: false }), copy);
  return copy.rowCount;
}

async function verdict(client: pg.Client, done: string): Promise<number> {
  const { wallets, kobo, wrong } = await checkBooks(client, say);
  if (wrong.length > 0) {
    process.stdout.write(
      `${done}, but the books are WRONG; let no service pay from them: ${wrong.join('; ')}\n`,
    );
    return 2;
  }
  process.stdout.write(
    `${done}; every balance, hold, ledger entry, payment and settlement of ${wallets.toLocaleString('en')} wallets agrees, ` +
      `${kobo.toLocaleString('en')} kobo in all\n`,
  );
  return 0;
}

/** One line every {@link SAY_MS} at most. */
function progress(what: string): (share: number) => void {
  let next = performance.now() + SAY_MS;
  return (share) => {
    if (performance.now() < next) return;
    next = performance.now() + SAY_MS;
    say(`${what}, ${Math.floor(100 * share)} %…`);
  };
}

runCommand(main, 'The restore did not end. ');
