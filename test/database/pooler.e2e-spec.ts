import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { serviceDataSource } from '../../src/platform/database/data-source.js';
import { Database } from '../../src/platform/database/database.js';
import { migrate } from '../../src/platform/database/migrate.js';
import { reachDatabase } from '../../src/platform/database/reach.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { Pooler } from '../support/pooler.js';
import { testWire } from '../support/wire.js';

let database: TestDatabase;
let pooler: Pooler | undefined;
beforeAll(async () => {
  database = await freshDatabase();
});
afterEach(async () => {
  await pooler?.stop();
  pooler = undefined;
});
afterAll(() => database.drop());

const REFUSAL =
  /^DATABASE_URL: the database at 127\.0\.0\.1:\d+\/\S+ can't be used: a pooler that does not keep sessions stands before it; set the pooler to session mode \(pgbouncer: pool_mode = session\), or name the address of PostgreSQL itself$/;

const tables = async (): Promise<unknown[]> => {
  const direct = new Database(serviceDataSource(database.url, 1, []), testWire());
  await direct.connect();
  const rows = await direct.query(`SELECT FROM pg_tables WHERE schemaname = 'public'`);
  await direct.close();
  return rows;
};

describe('a pooler in transaction mode', () => {
  it('is refused in one line before anything is migrated', async () => {
    pooler = await Pooler.start(database.url, 'transaction');
    await expect(reachDatabase('DATABASE_URL', pooler.url, () => undefined)).rejects.toThrow(REFUSAL);
    expect(await tables()).toEqual([]);
  });

  it('before the service alone is refused too, before anything is migrated', async () => {
    pooler = await Pooler.start(database.url, 'transaction');
    const urls = { ownerUrl: database.url, serviceUrl: pooler.url };
    await expect(migrate(urls, () => undefined)).rejects.toThrow(REFUSAL);
    expect(await tables()).toEqual([]);
  });
});

describe('a pooler in session mode that ignores start-up parameters', () => {
  it('is reached', async () => {
    pooler = await Pooler.start(database.url, 'session');
    await reachDatabase('DATABASE_URL', pooler.url, () => undefined);
  });

  it('has its sessions set up by the service', async () => {
    pooler = await Pooler.start(database.url, 'session');
    const pooled = new Database(serviceDataSource(pooler.url, 2, []), testWire());
    await pooled.connect();
    const settings = `SELECT current_setting('lock_timeout') AS lock, current_setting('plan_cache_mode') AS plans,
      current_setting('idle_in_transaction_session_timeout') AS idle, current_setting('enable_seqscan') AS scans`;
    const expected = { lock: '5s', plans: 'force_generic_plan', idle: '4s', scans: 'off' };
    const all = await Promise.all([pooled.query(settings), pooled.query(settings)]);
    expect(all).toEqual([[expected], [expected]]);
    await pooled.close();
  });
});

describe('the lock of migrations', () => {
  const held = async (work: (pid: number) => Promise<void>): Promise<void> => {
    const holder = new Database(serviceDataSource(database.url, 1, []), testWire());
    await holder.connect();
    await holder.transaction(async (tx) => {
      const [row] = await tx.query<{ pid: number }>(
        'SELECT pg_backend_pid() AS pid FROM pg_advisory_xact_lock(7241001)',
      );
      await work(row!.pid);
    });
    await holder.close();
  };
  const urls = () => ({ ownerUrl: database.url, serviceUrl: database.url });

  it('that stays with another session ends the start in one line that names it, after one that says so', async () => {
    await held(async (pid) => {
      const said: string[] = [];
      const line = new RegExp(
        `^DATABASE_URL: the database at \\S+ can't be used: another session \\(process ${pid} of PostgreSQL\\) has held ` +
          `the migration lock for 1\\.2 s; let it finish, or end it with SELECT pg_terminate_backend\\(${pid}\\)$`,
      );
      await expect(migrate(urls(), (each) => said.push(each), { turnMsMax: 1_200 })).rejects.toThrow(line);
      expect(said).toEqual([
        `Migrations wait for another session (process ${pid} of PostgreSQL), which migrates now, 1.2 s at most.`,
      ]);
    });
    expect(await tables()).toEqual([]);
  });

  it('that is given back in time is taken then', async () => {
    const said: string[] = [];
    let migrated: Promise<void> | undefined;
    await held((pid) => {
      const waits = new Promise<void>((waiting) => {
        migrated = migrate(urls(), (line) => {
          said.push(line);
          waiting();
        });
      });
      expect(pid).toBeGreaterThan(0);
      return waits;
    });
    await migrated;
    expect(said).toHaveLength(1);
    expect((await tables()).length).toBeGreaterThan(20);
  });
});

it('a read leaves neither a setting nor a transaction behind on its connection, also where it fails', async () => {
  const single = new Database(serviceDataSource(database.url, 1, []), testWire());
  const other = new Database(serviceDataSource(database.url, 1, []), testWire());
  await single.connect();
  await other.connect();
  const pid = `SELECT pg_backend_pid() AS pid, current_setting('statement_timeout') AS timeout`;
  const [session] = await single.query<{ pid: number }>(pid);
  for (const read of ['SELECT 1', 'SELECT 1 / 0']) {
    await single.reads.query(read).catch(() => undefined);
    expect(await single.query(pid)).toEqual([{ pid: session?.pid, timeout: '0' }]);
    const state = await other.query('SELECT state FROM pg_stat_activity WHERE pid = $1', [session?.pid]);
    expect(state).toEqual([{ state: 'idle' }]);
  }
  await single.close();
  await other.close();
});
