import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { buildIfChanged } from '../../scripts/up-to-date.mjs';
import { startEmbeddedPostgres } from '../../src/platform/database/embedded-postgres.ts';

/** What V8 makes of the service's modules is kept: each of the processes that suites start would do it anew. */
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'node-compile-cache');

/** One PostgreSQL for the whole run; a server named by TEST_DATABASE_URL is used instead. */
export default async function setUp({ testPathPatterns }) {
  // Some suites start what is built; in a whole run they must not all build at once.
  if (testPathPatterns.patterns.length === 0) {
    await buildIfChanged();
    process.env.TEST_BUILT = join(import.meta.dirname, '../../dist');
  }
  process.env.TEST_RUN_ID = randomUUID().slice(0, 8);
  if (process.env.TEST_DATABASE_URL) return;
  const folder = join(tmpdir(), `wallet-tests-${randomUUID()}`);
  const postgres = await startEmbeddedPostgres(folder, () => undefined);
  process.env.TEST_DATABASE_URL = postgres.url;
  await hurry(postgres.url);
  globalThis.testPostgres = { folder, stop: () => postgres.stop() };
}

/**
 * The server dies with this run, so nothing needs to outlive a power cut, and a commit takes a fraction of the time.
 * What must survive a crash is tested on servers of their own, which keep fsync.
 */
async function hurry(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  // A connection derives its key from the password by this many rounds, each of a hundred services for each connection.
  const settings = { fsync: 'off', full_page_writes: 'off', scram_iterations: 1 };
  for (const [name, value] of Object.entries(settings))
    await client.query(`ALTER SYSTEM SET ${name} = ${value}`);
  await client.query('SELECT pg_reload_conf()');
  await client.query(`ALTER ROLE CURRENT_USER PASSWORD ${client.escapeLiteral(client.password)}`);
  await client.end();
}
