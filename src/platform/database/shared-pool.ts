import pLimit from 'p-limit';
import type pg from 'pg';

/**
 * `pool` for a library that takes and releases connections: of those that it awaits, it holds `max` at a time, and the
 * next waits its turn. What it takes by a callback, to keep, is not counted.
 */
export function sharedPool(pool: pg.Pool, max: number): pg.Pool {
  const slots = pLimit(max);
  const take = async (leave: () => void): Promise<pg.PoolClient> => {
    try {
      const client = await pool.connect();
      // Set anew by the pool each time that a connection is taken.
      const release = client.release.bind(client);
      client.release = (error) => {
        leave();
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
