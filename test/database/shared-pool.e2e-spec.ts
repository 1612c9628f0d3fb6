import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { sharedPool } from '../../src/platform/database/shared-pool.js';

const MAX = 2;

let pool: pg.Pool;
let shared: pg.Pool;

beforeAll(() => {
  pool = new pg.Pool({ connectionString: process.env['TEST_DATABASE_URL'], max: 5 });
  shared = sharedPool(pool, MAX, new AbortController().signal);
});
afterAll(() => pool.end());

/** Whether `taken` has come by the time that a statement of another connection was answered. */
async function isTaken(taken: Promise<unknown>): Promise<boolean> {
  const answered = pool.query('SELECT').then(() => false);
  return Promise.race([taken.then(() => true), answered]);
}

it('gives out so many connections at a time, and the next once one is back', async () => {
  const held = await Promise.all([shared.connect(), shared.connect()]);
  const next = shared.connect();
  expect(await isTaken(next)).toBe(false);
  held[0].release();
  const third = await next;
  expect((await third.query<{ one: number }>('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  third.release();
  held[1].release();
  expect(pool.totalCount - pool.idleCount).toBe(0);
});

it('counts nothing that is taken by a callback', async () => {
  const listening = await new Promise<pg.PoolClient>((taken) => {
    shared.connect((_, client) => taken(client!));
  });
  const held = await Promise.all([shared.connect(), shared.connect()]);
  expect(pool.totalCount - pool.idleCount).toBe(MAX + 1);
  for (const client of [listening, ...held]) client.release();
});

it('gives the place of a connection on when it is lost, and when none can be had', async () => {
  const lost = await Promise.all([shared.connect(), shared.connect()]);
  for (const client of lost) client.release(new Error('lost'));
  expect(pool.totalCount).toBe(pool.idleCount);
  const nowhere = new pg.Pool({ host: '127.0.0.1', port: 1 });
  const cut = sharedPool(nowhere, 1, AbortSignal.abort());
  await expect(cut.connect()).rejects.toThrow(/ECONNREFUSED/);
  await expect(cut.connect()).rejects.toThrow(/ECONNREFUSED/);
  const [one, two] = await Promise.all([shared.connect(), shared.connect()]);
  one.release();
  two.release();
  await nowhere.end();
});

it('waits for a connection while the database is away, until it is told to end', async () => {
  const nowhere = new pg.Pool({ host: '127.0.0.1', port: 1 });
  const ended = new AbortController();
  const waiting = sharedPool(nowhere, 1, ended.signal).connect();
  expect(await isTaken(waiting)).toBe(false);
  ended.abort();
  await expect(waiting).rejects.toThrow(/ECONNREFUSED/);
  await nowhere.end();
});

it('fails a statement whose connection is lost as one to be tried again, and every other as it is', async () => {
  const client = await shared.connect();
  await expect(client.query('SELECT 1 / 0')).rejects.toMatchObject({ code: '22012' });
  await expect(client.query('SELECT pg_terminate_backend(pg_backend_pid())')).rejects.toMatchObject({
    code: '40001',
  });
  client.release();
  const own = await pool.connect();
  expect(Object.hasOwn(own, 'query')).toBe(false);
  own.release();
});

it('is the pool in all else', () => {
  expect(shared.options.max).toBe(5);
  expect(shared.listenerCount('error')).toBe(pool.listenerCount('error'));
});
