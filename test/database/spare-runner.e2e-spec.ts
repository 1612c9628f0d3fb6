import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { serviceDataSource } from '../../src/platform/database/data-source.js';
import { Database } from '../../src/platform/database/database.js';
import { SpareRunner } from '../../src/platform/database/spare-runner.js';
import type { Tx } from '../../src/platform/database/tx.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { until } from '../support/service.js';
import { testWire } from '../support/wire.js';

const KEPT_MS = 200;

let fresh: TestDatabase;
beforeAll(async () => {
  fresh = await freshDatabase();
});
afterAll(() => fresh.drop());

async function connected(max: number): Promise<Database> {
  const source = serviceDataSource(fresh.url, max, []);
  const database = new Database(source, testWire(), undefined, new SpareRunner(source, KEPT_MS));
  await database.connect();
  return database;
}

const session = async (tx: Tx): Promise<number> => {
  const [row] = await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return row!.pid;
};
/** Connections that are not the pool's to give. */
const taken = ({ pool }: Database): number => pool.totalCount - pool.idleCount;

describe('the connection of a transaction', () => {
  let database: Database;
  beforeEach(async () => {
    database = await connected(3);
  });
  afterEach(() => database.close());

  it('is kept for the next one, and given back when there is none for a while', async () => {
    const first = await database.transaction(session);
    expect(taken(database)).toBe(1);
    for (let i = 0; i < 4; i += 1) {
      await sleep(KEPT_MS / 2);
      expect(await database.transaction(session)).toBe(first);
      expect(taken(database)).toBe(1);
    }
    await until(() => Promise.resolve(taken(database) === 0));
  });

  it('is its own: transactions at the same time have one each, of which one is kept', async () => {
    const sessions = await Promise.all(
      Array.from({ length: 3 }, () =>
        database.transaction(async (tx) => {
          await tx.query('SELECT pg_sleep(0.05)');
          return session(tx);
        }),
      ),
    );
    expect(new Set(sessions).size).toBe(3);
    expect(taken(database)).toBe(1);
  });

  it('serves the transactions of a share too', async () => {
    const first = await database.transaction(session);
    expect(await database.share(1).transaction(session)).toBe(first);
    expect(await database.transaction(session)).toBe(first);
    expect(taken(database)).toBe(1);
  });

  it('is another one after it was lost while it was not in use', async () => {
    const lost = await database.transaction(session);
    await database.query('SELECT pg_terminate_backend($1)', [lost]);
    await until(() => Promise.resolve(taken(database) === 0));
    expect(await database.transaction(session)).not.toBe(lost);
    expect(taken(database)).toBe(1);
  });

  it('is kept after one that was rolled back, but not after one that did not end', async () => {
    const first = await database.transaction(session);
    const failing = database.transaction(async (tx) => {
      await session(tx);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await database.transaction(session)).toBe(first);
    await expect(database.transaction((tx) => tx.query('SELECT pg_sleep(5)'), 50)).rejects.toThrow('50 ms');
    expect(taken(database)).toBe(0);
    expect(await database.transaction(session)).not.toBe(first);
  });
});

describe('a database that is closed', () => {
  it('has given back what was kept', async () => {
    const database = await connected(3);
    await database.transaction(session);
    await database.close();
    expect(database.pool.totalCount).toBe(0);
  });

  it('keeps nothing of a transaction that was under way', async () => {
    const database = await connected(3);
    const begun = Promise.withResolvers<number>();
    const end = Promise.withResolvers<string>();
    const work = database.transaction(async (tx) => {
      begun.resolve(await session(tx));
      return end.promise;
    });
    await begun.promise;
    const closed = database.close();
    await sleep(20);
    end.resolve('done');
    expect(await work).toBe('done');
    await closed;
    expect(database.pool.totalCount).toBe(0);
  });
});

it('the only connection of a pool is never kept', async () => {
  const database = await connected(1);
  await database.transaction(session);
  expect(taken(database)).toBe(0);
  await database.close();
});
