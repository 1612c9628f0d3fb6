import { randomUUID } from 'node:crypto';
import pg from 'pg';

/** A database of a test's own. */
export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** Held while the migrated template is made, so that suites which start together make it once. */
const TEMPLATE_LOCK = 7_241_002;

/** A new, empty database on the server of this test run, so that suites can run side by side. */
export function freshDatabase(): Promise<TestDatabase> {
  // No session can be connected to template0; one session in template1 would make this wait.
  return copyOf('template0');
}

/** The templates that are known to be ready. */
const ready = new Set<string>();

/**
 * A new database with the schema of the service. The first suite of a run has `migrate` make a template of this `kind`,
 * which all others copy: a copy takes a tenth of the time of the migrations.
 */
export async function migratedDatabase(
  kind: 'plain' | 'clock',
  migrate: (url: string) => Promise<void>,
): Promise<TestDatabase> {
  // A run has its own templates: one left behind by an earlier run may be of another schema.
  const template = `template_${kind}_${process.env.TEST_RUN_ID ?? process.ppid}`;
  if (!ready.has(template)) {
    await withClient(testServer(), async (client) => {
      await client.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK]);
      const found = await client.query('SELECT FROM pg_database WHERE datname = $1 AND datistemplate', [
        template,
      ]);
      if (found.rowCount === 1) return;
      await client.query(`DROP DATABASE IF EXISTS ${template} WITH (FORCE)`);
      await client.query(`CREATE DATABASE ${template} TEMPLATE template0`);
      await migrate(urlOf(template));
      await client.query(`ALTER DATABASE ${template} IS_TEMPLATE true`);
    });
    ready.add(template);
  }
  return copyOf(template);
}

async function copyOf(template: string): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  // Copied as files, half of the work of copying through the log: the server of a run need not survive a crash.
  await onServer(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`);
  return { url: urlOf(name), drop: () => onServer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

let server: pg.Pool | undefined;

/** Runs one statement that belongs to no database, over connections that the suites of a worker share. */
async function onServer(statement: string): Promise<void> {
  server ??= new pg.Pool({ connectionString: testServer(), max: 2, allowExitOnIdle: true }).on(
    'error',
    () => undefined,
  );
  await server.query(statement);
}

function testServer(): string {
  const server = process.env.TEST_DATABASE_URL;
  if (!server) throw new Error('TEST_DATABASE_URL is not set: global-setup.mjs did not run');
  return server;
}

function urlOf(database: string): string {
  const url = new URL(testServer());
  url.pathname = `/${database}`;
  return url.href;
}

/** Runs `work` on a connection of its own. */
export async function withClient(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
