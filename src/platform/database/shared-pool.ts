import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import type pg from 'pg';
import { isUnavailable } from './failures.js';

const ASK_AGAIN_MS = 500;
/** graphile-worker retries on this code. */
const TRY_AGAIN = '40001';

/**
 * The pool for graphile-worker, which leaves rejections unhandled: connections are waited for and failed
 * statements are retryable.
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
      const release = client.release.bind(client);
      const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
      client.query = ((...args: unknown[]) =>
        query(...args).catch(throwToTryAgain)) as pg.PoolClient['query'];
      client.release = (error) => {
        leave();
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
