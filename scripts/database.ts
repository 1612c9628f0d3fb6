import pg from 'pg';
import type { Config } from '../src/platform/config.js';
import {
  runningEmbeddedPostgres,
  startEmbeddedPostgres,
} from '../src/platform/database/embedded-postgres.js';
import { dataFolder } from '../src/platform/database/embedded/data-folder.js';
import type { DatabaseUrls } from '../src/platform/database/migrate.js';
import { reachDatabase } from '../src/platform/database/reach.js';

export interface OpenDatabase extends DatabaseUrls {
  /** It is embedded, and a service works on it. */
  readonly isInUse: boolean;
}

/**
 * Does `work` on the service's database: DATABASE_URL, or the embedded one, which is started for as long as it takes
 * when no service runs it. `report` gets a line for what takes time.
 */
export async function withDatabase<T>(
  { DATABASE_URL, DATABASE_OWNER_URL, DATA_DIR }: Config,
  report: (line: string) => void,
  work: (database: OpenDatabase) => Promise<T>,
): Promise<T> {
  if (DATABASE_URL) {
    const ownerUrl = DATABASE_OWNER_URL ?? DATABASE_URL;
    await reachDatabase(DATABASE_OWNER_URL ? 'DATABASE_OWNER_URL' : 'DATABASE_URL', ownerUrl, report);
    return work({ ownerUrl, serviceUrl: DATABASE_URL, isInUse: false });
  }
  const { dir, notice } = dataFolder(DATA_DIR);
  if (notice) report(notice);
  const running = runningEmbeddedPostgres(dir);
  if (running) return work({ ownerUrl: running.url, serviceUrl: running.serviceUrl, isInUse: true });
  const embedded = await startEmbeddedPostgres(dir, report);
  const stop = (): void => void embedded.stop().finally(() => process.exit(1));
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stop);
  try {
    return await work({ ownerUrl: embedded.url, serviceUrl: embedded.serviceUrl, isInUse: false });
  } finally {
    await embedded.stop();
  }
}

/** As {@link withDatabase}, with a connection of the owner that PostgreSQL shows as `name`. */
export function withOwner<T>(
  config: Config,
  report: (line: string) => void,
  name: string,
  work: (client: pg.Client, database: OpenDatabase) => Promise<T>,
): Promise<T> {
  return withDatabase(config, report, async (database) => {
    const client = new pg.Client({
      connectionString: database.ownerUrl,
      keepAlive: true,
      application_name: name,
    });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return await work(client, database);
    } finally {
      await client.end();
    }
  });
}

/** Throws if a service is connected to the database of `client`, or runs it. */
export async function refuseWhileInUse(client: pg.Client, { isInUse }: OpenDatabase): Promise<void> {
  const { rowCount } = await client.query(
    `SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'agent-payment-wallet'`,
  );
  if (isInUse || rowCount) throw new Error('A service works on this database; stop it first');
}

/** Ends the process with what `main` answers, or with one line and status 1 when it throws. */
export function runCommand(main: () => Promise<number>, prefix = ''): void {
  main().then(
    (code) => {
      process.exitCode = code;
    },
    (error: unknown) => {
      process.stderr.write(`${prefix}${error instanceof Error ? error.message : String(error)}\n`);
      process.exitCode = 1;
    },
  );
}
