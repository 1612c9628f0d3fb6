import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import type pg from 'pg';
import { isUnavailable } from './failures.js';

/** The pause before a database that is away is asked for a connection again, in milliseconds. */
const ASK_AGAIN_MS = 500;
/** PostgreSQL's code of a transaction that is to be tried again: graphile-worker does so, and soon. */
const TRY_AGAIN = '40001';

/**
 * `pool` for a library that takes and releases connections: of those that it awaits, it holds `max` at a time, and the
 * next waits its turn. What it takes by a callback, to keep, is not counted.
 *
 * graphile-worker awaits nothing when it reports a job done or failed, and a rejection that is not handled ends the
 * process. So a connection is waited for while the database is away, until `ended`; and a statement that fails because it
 * is, fails as one that the library tries again.
 */
export function sharedPool(pool: pg.Pool, max: number, ended: AbortSignal): pg.Pool {
  const slots = pLimit(max);
  const connected = async (): Promise<pg.PoolClient> => {
    for (;;) {
      try {
        return await pool.connect();
      } catch (error) {
        if (ended.aborted || pool.ending || !isUnavailable(error)) throw error;
        await sleep(ASK_AGAIN_MS, undefined, { signal: ended }).catch(() => undefined);
      }
    }
  };
  const take = async (leave: () => void): Promise<pg.PoolClient> => {
    try {
      const client = await connected();
      // Set anew by the pool each time that a connection is taken.
      const release = client.release.bind(client);
      const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
      client.query = ((...args: unknown[]) =>
        query(...args).catch(throwToTryAgain)) as pg.PoolClient['query'];
      client.release = (error) => {
        leave();
        // Its own is on the prototype again.
        Reflect.deleteProperty(client, 'query');
        release(error);
      };
      return client;
    } catch (error) {
      leave();
      throw error;
    }
  };
  const connect: pg.Pool['connect'] = (...callback: unknown[]) => {
    if (callback.length > 0) return (pool.connect.bind(pool) as (...args: unknown[]) => never)(...callback);
    return new Promise<pg.PoolClient>((resolve) => {
      void slots(() => new Promise<void>((leave) => resolve(take(leave))));
    }) as never;
  };
  return new Proxy(pool, {
    get: (target, key) => (key === 'connect' ? connect : (Reflect.get(target, key) as unknown)),
  });
}

function throwToTryAgain(error: unknown): never {
  if (!isUnavailable(error)) throw error;
  throw Object.assign(new Error((error as Error).message, { cause: error }), { code: TRY_AGAIN });
}
