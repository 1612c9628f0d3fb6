import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { buildIfChanged } from '../../scripts/up-to-date.mjs';
import { startEmbeddedPostgres } from '../../src/platform/database/embedded-postgres.ts';

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
  await withoutFsync(postgres.url);
  globalThis.testPostgres = { folder, stop: () => postgres.stop() };
}

/**
 * The server dies with this run, so nothing needs to outlive a power cut, and a commit takes a fraction of the time.
 * What must survive a crash is tested on servers of their own, which keep fsync.
 */
async function withoutFsync(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const setting of ['fsync', 'full_page_writes'])
    await client.query(`ALTER SYSTEM SET ${setting} = off`);
  await client.query('SELECT pg_reload_conf()');
  await client.end();
}
