import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

export const MIGRATION_LOCK = 7_241_001;
/** Pause between tries for the lock, in milliseconds. */
const LOCK_RETRY_MS = 500;

/** Held until `client` ends. */
export async function lock(
  client: pg.PoolClient,
  warn: (line: string) => void,
  msMax: number,
): Promise<void> {
  const waitEnd = performance.now() + msMax;
  for (let isFirst = true; ; isFirst = false) {
    const { rows } = await client.query<{ isMine: boolean; pid: number | null }>(
      `SELECT pg_try_advisory_lock($1) AS "isMine",
              (SELECT pid FROM pg_locks l JOIN pg_database d ON d.oid = l.database
                WHERE l.locktype = 'advisory' AND l.classid = 0 AND l.objid = $1 AND l.granted
                  AND d.datname = current_database()) AS pid`,
      [MIGRATION_LOCK],
    );
    if (rows[0]?.isMine) return;
    const holder = `another session (process ${rows[0]?.pid ?? 'unknown'} of PostgreSQL)`;
    if (performance.now() + LOCK_RETRY_MS > waitEnd)
      throw new Error(
        `${holder} has held the migration lock for ${msMax / 1_000} s; let it finish, or end it with ` +
          `SELECT pg_terminate_backend(${rows[0]?.pid ?? '…'})`,
      );
    if (isFirst) warn(`Migrations wait for ${holder}, which migrates now, ${msMax / 1_000} s at most.`);
    await sleep(LOCK_RETRY_MS);
  }
}
