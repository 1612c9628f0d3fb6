import type pg from 'pg';
import { createService } from '../../src/bootstrap.js';
import { readConfig } from '../../src/platform/config.js';
import { migratedDatabase, type TestDatabase, withClient } from './database.js';

export const JWT_SECRET = 'a secret that signs the session tokens of the tests';

/** The service of a test works as the role with the fewest rights, as one that is started for real does. */
export function asService(ownerUrl: string): string {
  const url = new URL(ownerUrl);
  url.username = 'wallet_tests_service';
  url.password = 'a password of the tests';
  return url.href;
}

/** The same database without the network between, where the run has its own server: an eighth less CPU for a suite. */
export function bySocket(url: string): string {
  const folder = process.env.TEST_DATABASE_SOCKETS;
  if (!folder) return url;
  const local = new URL(url);
  local.searchParams.set('host', folder);
  return local.href;
}

/** A new database as the first start of a service leaves it. */
export function plainDatabase(): Promise<TestDatabase> {
  return migratedDatabase('plain', migrateByStarting);
}

/** The same, with a clock that can be set. */
export async function clockDatabase(): Promise<TestDatabase> {
  const database = await migratedDatabase('clock', async (url) => {
    await installClock(url);
    await migrateByStarting(url);
  });
  // What is set for a database is not copied with it.
  await withClient(database.url, (client) => putClockFirst(client));
  return database;
}

/** Leaves the database at `url` as the first start of a service leaves it. */
async function migrateByStarting(url: string): Promise<void> {
  const app = await createService({
    config: readConfig({ NODE_ENV: 'test' }),
    databaseUrl: asService(url),
    ownerUrl: url,
    jwtSecret: JWT_SECRET,
    logger: false,
    singleInstance: true,
  });
  await app.close();
}

/** Puts clocks of our own, which show one time, before PostgreSQL's, for every later connection to this database. */
function installClock(url: string): Promise<void> {
  return withClient(url, async (client) => {
    await client.query(`
      CREATE TABLE test_clock (at timestamptz);
      INSERT INTO test_clock VALUES (NULL);
      CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
        'SELECT coalesce((SELECT at FROM public.test_clock), pg_catalog.clock_timestamp())';
      CREATE FUNCTION public.statement_timestamp() RETURNS timestamptz LANGUAGE sql STABLE AS
        'SELECT coalesce((SELECT at FROM public.test_clock), pg_catalog.statement_timestamp())'`);
    await putClockFirst(client);
  });
}

async function putClockFirst(client: pg.Client): Promise<void> {
  await client.query(`ALTER DATABASE ${client.database} SET search_path = public, pg_catalog`);
}
