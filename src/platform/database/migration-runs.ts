import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource, QueryRunner } from 'typeorm';
import { SERVICE_NAME } from './data-source.js';

/** Milliseconds: payments queue behind it. */
export const MIGRATION_LOCK_MS_MAX = 500;
/** Blocks no payment. */
const INDEX_LOCK_MS_MAX = 600_000;
const LOCK_REFUSED = new Set(['55P03', '40P01']);
const ROLLING_SINCE = 1_764_780_000_030;

export interface MigrationLimits {
  /** Wait for other processes, in milliseconds. */
  readonly turnMsMax: number;
  readonly triesMax: number;
  readonly pauseMs: number;
  readonly stopMsMax: number;
  /** Migrations to run; all unless set. */
  readonly only?: readonly string[];
}

export const MIGRATION_LIMITS: MigrationLimits = {
  turnMsMax: 300_000,
  triesMax: 60,
  pauseMs: 2_000,
  stopMsMax: 30_000,
};

type Report = (line: string) => void;

export async function runPending(source: DataSource, report: Report, limits: MigrationLimits): Promise<void> {
  await requireRolling(source, report, limits);
  for (let tries = 1; ; tries += 1) {
    try {
      await source.runMigrations();
      return;
    } catch (error) {
      const { code } = (error as { driverError?: { code?: string } }).driverError ?? {};
      if (!LOCK_REFUSED.has(code ?? '')) throw error;
      const line =
        `Migration ${(await pending(source))[0]?.name ?? ''} got no lock within ${MIGRATION_LOCK_MS_MAX} ms` +
        (await longestTransaction(source));
      if (tries >= limits.triesMax)
        throw new Error(`${line}; ${tries} tries failed. End that transaction, then start again`, {
          cause: error,
        });
      report(`${line}; it tries again, ${tries} of ${limits.triesMax} tries done.`);
    }
    await sleep(limits.pauseMs);
  }
}

export async function connectedServices(source: Pick<DataSource, 'query'>): Promise<number[]> {
  const rows = await source.query<{ pid: number }[]>(
    'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1 ORDER BY pid',
    [SERVICE_NAME],
  );
  return rows.map(({ pid }) => pid);
}

/** A release before 0.2.0 fails on the new schema. */
async function requireRolling(source: DataSource, report: Report, { stopMsMax, pauseMs }: MigrationLimits) {
  const isOld =
    (
      await source.query<object[]>(
        `SELECT FROM pg_tables WHERE schemaname = 'public' AND tablename = 'wallets'`,
      )
    ).length > 0 && (await pending(source)).some(({ timestamp }) => timestamp <= ROLLING_SINCE);
  if (!isOld) return;
  const until = performance.now() + stopMsMax;
  for (let isFirst = true; ; isFirst = false) {
    const pids = await connectedServices(source);
    if (pids.length === 0) return;
    const line =
      `A service older than 0.2.0 is connected (process ${pids.slice(0, 5).join(', ')} of PostgreSQL), which can't ` +
      'work on the new schema: stop it';
    if (performance.now() + pauseMs > until) throw new Error(`${line}, then start again`);
    if (isFirst) report(`${line}; waiting for that, ${stopMsMax / 1_000} s at most.`);
    await sleep(pauseMs);
  }
}

async function pending(source: DataSource): Promise<{ name: string; timestamp: number }[]> {
  const done = await source
    .query<{ name: string }[]>('SELECT name FROM migrations')
    .catch((): { name: string }[] => []);
  const names = new Set(done.map(({ name }) => name));
  return source.migrations
    .map(({ constructor: { name } }) => ({ name, timestamp: Number(name.slice(-13)) }))
    .filter(({ name }) => !names.has(name))
    .sort((a, b) => a.timestamp - b.timestamp);
}

async function longestTransaction(source: DataSource): Promise<string> {
  const [other] = await source.query<{ pid: number; name: string; seconds: number }[]>(
    `SELECT pid, coalesce(nullif(application_name, ''), usename, 'unknown') AS name,
            extract(epoch FROM clock_timestamp() - xact_start)::integer AS seconds
       FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
        AND xact_start < clock_timestamp() - interval '500 ms'
      ORDER BY xact_start LIMIT 1`,
  );
  return other
    ? `: process ${other.pid} of PostgreSQL (${other.name}) has a transaction of ${other.seconds} s`
    : '';
}

/** Outside a transaction. Replaces what a failed build left. */
export async function createIndexConcurrently(
  runner: QueryRunner,
  name: string,
  definition: string,
  { isUnique = false } = {},
): Promise<void> {
  await runner.query(`SET lock_timeout = ${INDEX_LOCK_MS_MAX}`);
  try {
    await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
    await runner.query(`CREATE ${isUnique ? 'UNIQUE ' : ''}INDEX CONCURRENTLY ${name} ${definition}`);
  } finally {
    await runner.query(`SET lock_timeout = ${MIGRATION_LOCK_MS_MAX}`);
  }
}
