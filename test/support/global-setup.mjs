import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../src/platform/database/embedded-postgres.ts';

/** One PostgreSQL for the whole run; a server named by TEST_DATABASE_URL is used instead. */
export default async function setUp() {
  if (process.env.TEST_DATABASE_URL) return;
  const folder = join(tmpdir(), `wallet-tests-${randomUUID()}`);
  const postgres = await startEmbeddedPostgres(folder, () => undefined);
  process.env.TEST_DATABASE_URL = postgres.url;
  globalThis.testPostgres = { folder, stop: () => postgres.stop() };
}
