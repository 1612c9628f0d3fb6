import 'reflect-metadata';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { Check, Column, Entity, PrimaryColumn } from 'typeorm';
import type { AppError } from '../../src/kernel/errors.js';
import { serviceDataSource } from '../../src/platform/database/data-source.js';
import { Database } from '../../src/platform/database/database.js';
import type { Tx } from '../../src/platform/database/tx.js';
import { isStandbyWaitCanceled, isUnreachable, violates } from '../../src/platform/database/failures.js';
import { READ_QUEUE_MAX, READ_TIMEOUT_MS } from '../../src/platform/database/reads.js';
import { anyCharacter } from '../support/any-text.js';
import { CuttingProxy } from '../support/cutting-proxy.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { PostgresServer } from '../support/postgres-server.js';
import { until } from '../support/service.js';
import { testWire } from '../support/wire.js';

@Entity('notes')
@Check('notes_money', 'money > 0')
class Note {
  @PrimaryColumn('text')
  id: string;

  @Column('bigint')
  money: number;
}

const TABLE = `CREATE TABLE notes (id text CONSTRAINT notes_once PRIMARY KEY,
  money bigint NOT NULL DEFAULT 1 CONSTRAINT notes_money CHECK (money > 0),
  late text CONSTRAINT notes_late UNIQUE DEFERRABLE INITIALLY DEFERRED)`;

const POOL_MAX = 8;

async function connected(url: string, max = POOL_MAX): Promise<Database> {
  const database = new Database(serviceDataSource(url, max, [Note]), testWire());
  await database.connect();
  return database;
}

let fresh: TestDatabase;
let database: Database;
const ids = async (from = database): Promise<string[]> =>
  (await from.query<{ id: string }>('SELECT id FROM notes ORDER BY id')).map(({ id }) => id);
const insert = (id: string): [string, unknown[]] => ['INSERT INTO notes (id) VALUES ($1)', [id]];
const unknown = expect.objectContaining({ code: 'OUTCOME_UNKNOWN' });

beforeAll(async () => {
  fresh = await freshDatabase();
  database = await connected(fresh.url);
  await database.query(TABLE);
});
beforeEach(async () => {
  await database.query('DELETE FROM notes');
});
afterAll(async () => {
  await database.close();
  await fresh.drop();
});

describe('a statement that is not awaited and fails', () => {
  it.each<[string, (tx: Tx) => Promise<unknown>]>([
    ['nothing is awaited behind it', () => Promise.resolve()],
    ['what is awaited behind it fails too', (tx) => tx.query('SELECT 1')],
    ['that is swallowed', (tx) => tx.query('SELECT 1').catch(() => undefined)],
  ])('fails the whole with its own error where %s', async (_, wait) => {
    const work = database.transaction(async (tx) => {
      tx.write(...insert('one'));
      tx.write(...insert('one'));
      await wait(tx);
      tx.write(...insert('two'));
    });
    await expect(work).rejects.toMatchObject({ constraint: 'notes_once' });
    expect(await ids()).toEqual([]);
  });
});

describe('a repository in a transaction', () => {
  it('shares one commit with statements, which are sent in their order', async () => {
    const seen = await database.transaction(async (tx) => {
      tx.write(...insert('statement'));
      const notes = tx.repository(Note);
      await notes.insert({ id: 'repository', money: 2 });
      expect(await ids()).toEqual([]);
      return notes.countBy({});
    });
    expect(seen).toBe(2);
    expect(await ids()).toEqual(['repository', 'statement']);
  });

  it('shares one rollback with them, also after save, which would commit by itself', async () => {
    const work = database.transaction(async (tx) => {
      const notes = tx.repository(Note);
      await notes.save({ id: 'saved', money: 1 });
      await notes.remove(await notes.find());
      await notes.save({ id: 'again', money: 1 });
      tx.write(...insert('statement'));
      throw new Error('no');
    });
    await expect(work).rejects.toThrow('no');
    expect(await ids()).toEqual([]);
  });

  it('throws what PostgreSQL says, without the values, and commits nothing even when that is swallowed', async () => {
    const refusal = await database
      .transaction((tx) => tx.repository(Note).insert({ id: 'secret', money: 0 }))
      .catch((error: unknown) => error);
    expect(violates(refusal, 'notes_money')).toBe(true);
    expect(Object.keys(refusal as object)).not.toContain('parameters');
    const swallowed = database.transaction(async (tx) => {
      tx.write(...insert('one'));
      await tx
        .repository(Note)
        .insert({ id: 'two', money: 0 })
        .catch(() => undefined);
    });
    await expect(swallowed).rejects.toMatchObject({ constraint: 'notes_money' });
    expect(await ids()).toEqual([]);
  });

  it('fails with the error of an earlier statement that was not awaited', async () => {
    const writing = database.transaction(async (tx) => {
      tx.write(...insert('one'));
      tx.write(...insert('one'));
      await tx.repository(Note).insert({ id: 'two', money: 1 });
    });
    await expect(writing).rejects.toMatchObject({ constraint: 'notes_once' });
    expect(await ids()).toEqual([]);
  });

  it('is of no use once that has ended: its connection may be in use elsewhere', async () => {
    const notes = await database.transaction((tx) => Promise.resolve([tx.repository(Note)]));
    await expect(notes[0]!.insert({ id: 'late', money: 1 })).rejects.toThrow('released');
    expect(await ids()).toEqual([]);
  });

  it('reads money as exact numbers', async () => {
    await database.repository(Note).insert({ id: 'most', money: Number.MAX_SAFE_INTEGER });
    expect(await database.repository(Note).findOneBy({ id: 'most' })).toEqual({
      id: 'most',
      money: Number.MAX_SAFE_INTEGER,
    });
    await database.query("UPDATE notes SET money = money + 1 WHERE id = 'most'");
    await expect(database.repository(Note).find()).rejects.toThrow('does not fit a number exactly');
  });
});

describe('the pool', () => {
  it('never has more connections than it may, whatever uses it', async () => {
    const work = Array.from({ length: 60 }, (_, i) => [
      database.transaction((tx) => tx.query('SELECT pg_sleep(0.01)')),
      database.query('SELECT pg_sleep(0.01)'),
      database.share(2).query('SELECT pg_sleep(0.01)'),
      database.reads.query('SELECT pg_sleep(0.01)'),
      database.repository(Note).findOneBy({ id: String(i) }),
    ]).flat();
    await Promise.all(work);
    const [row] = await database.query<{ count: number }>(
      'SELECT count(*) AS count FROM pg_stat_activity WHERE datname = current_database()',
    );
    expect(row!.count).toBe(POOL_MAX);
  });

  it('goes on with new connections when all are lost', async () => {
    await database.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    await Promise.all(Array.from({ length: 20 }, () => database.query('SELECT 1').catch(() => undefined)));
    expect(await ids()).toEqual([]);
  });
});

describe('lists as values', () => {
  const received = async (type: string, list: readonly unknown[]): Promise<unknown[]> => {
    const [row] = await database.query<{ list: unknown[] }>(`SELECT $1::${type}[] AS list`, [list]);
    return row?.list ?? [];
  };
  // PostgreSQL stores no NUL, and no half of a surrogate pair.
  const text = fc
    .oneof(
      fc.string(),
      fc.string({ unit: anyCharacter }),
      fc.json(),
      fc.constantFrom('', 'NULL', '{}', ' a ', '\\', '"'),
    )
    .filter((each) => each.isWellFormed() && !each.includes('\0'));

  it('arrive as they were sent, whatever they hold', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(text), { maxLength: 20 }), async (texts) => {
        expect(await received('text', texts)).toEqual(texts);
      }),
      { numRuns: 200 },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(fc.uint8Array()), { maxLength: 5 }), async (bytes) => {
        const list = bytes.map((each) => each && Buffer.from(each));
        expect(await received('bytea', list)).toEqual(list);
      }),
      { numRuns: 50 },
    );
    const numbers = [0, -1, Number.MAX_SAFE_INTEGER, null, 5n];
    expect(await received('bigint', numbers)).toEqual(['0', '-1', '9007199254740991', null, '5']);
    expect(await received('boolean', [true, null, false])).toEqual([true, null, false]);
    const times = [new Date(0), new Date()];
    expect(await received('timestamptz', times)).toEqual(times);
  });
});

describe('the outcome of a transaction', () => {
  let proxy: CuttingProxy;
  let cuttable: Database;

  beforeAll(async () => {
    proxy = await CuttingProxy.start(fresh.url);
    cuttable = await connected(proxy.url);
  });
  afterAll(async () => {
    await cuttable.close();
    await proxy.stop();
  });

  it.each([
    ['before', []],
    ['after', ['one']],
  ] as const)('is unknown when the connection is lost at COMMIT, %s it was done', async (cut, stored) => {
    proxy.cutAt('COMMIT', cut);
    const callback = jest.fn();
    const work = cuttable.transaction((tx) => {
      tx.write(...insert('one'));
      tx.afterCommit(callback);
    });
    await expect(work).rejects.toEqual(unknown);
    expect(callback).not.toHaveBeenCalled();
    expect(await ids()).toEqual(stored);
    expect(await ids(cuttable)).toEqual(stored);
  });

  it('is known when the connection is lost before COMMIT: nothing was carried out', async () => {
    proxy.cutAt('pg_sleep', 'before');
    const error = await cuttable
      .transaction(async (tx) => {
        tx.write(...insert('one'));
        await tx.query('SELECT pg_sleep(0)');
      })
      .catch((thrown: unknown) => thrown);
    expect(isUnreachable(error)).toBe(true);
    expect(await ids()).toEqual([]);
  });

  it('is known when the connection is lost between two statements of a repository', async () => {
    const work = database.transaction(async (tx) => {
      const notes = tx.repository(Note);
      await notes.insert({ id: 'one', money: 1 });
      const [session] = await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      const isRemoved = new Promise((done) => database.pool.once('remove', done));
      await database.query('SELECT pg_terminate_backend($1)', [session?.pid]);
      await isRemoved;
      await notes.find();
    });
    const error: unknown = await work.catch((thrown: unknown) => thrown);
    expect(isUnreachable(error)).toBe(true);
    expect(await ids()).toEqual([]);
  });

  it('is unknown when it takes longer than its deadline at COMMIT', async () => {
    const holder = await connected(fresh.url, 1);
    await holder.transaction(async (held) => {
      await held.query("INSERT INTO notes VALUES ('held', 1, 'same')");
      // The deferred constraint makes COMMIT wait for the other transaction.
      const work = database.transaction((tx) => {
        tx.write("INSERT INTO notes VALUES ('waiting', 1, 'same')");
      }, 300);
      await expect(work).rejects.toEqual(unknown);
    });
    await holder.close();
    const committing = `SELECT FROM pg_stat_activity WHERE query = 'COMMIT' AND state = 'active'`;
    await until(async () => (await database.query(committing)).length === 0);
  });

  it('is an error that PostgreSQL names, not unknown, when COMMIT itself is refused', async () => {
    await database.query("INSERT INTO notes VALUES ('first', 1, 'same')");
    const work = database.transaction((tx) => {
      tx.write("INSERT INTO notes VALUES ('second', 1, 'same')");
    });
    await expect(work).rejects.toMatchObject({ constraint: 'notes_late' });
    expect(await ids()).toEqual(['first']);
  });

  it('is no success when COMMIT is answered ROLLBACK', async () => {
    const callback = jest.fn();
    const work = database.transaction(async (tx) => {
      tx.afterCommit(callback);
      tx.write(...insert('one'));
      await tx.query('SELECT 1 / 0').catch(() => undefined);
      return 'paid';
    });
    await expect(work).rejects.toMatchObject({ code: '22012' });
    expect(callback).not.toHaveBeenCalled();
    expect(await ids()).toEqual([]);
  });

  it('stands when a callback after the commit throws, and so do the other callbacks', async () => {
    const other = jest.fn();
    const result = await database.transaction((tx) => {
      tx.write(...insert('one'));
      tx.afterCommit(() => {
        throw new Error('can not wake');
      });
      tx.afterCommit(other);
      return 'paid';
    });
    expect(result).toBe('paid');
    expect(other).toHaveBeenCalledTimes(1);
    expect(await ids()).toEqual(['one']);
  });

  it.each(['before', 'after'] as const)(
    'of a statement that commits by itself is unknown when the connection is lost %s it was done',
    async (cut) => {
      proxy.cutAt('INSERT INTO', cut);
      await expect(cuttable.query(...insert('one'))).rejects.toEqual(unknown);
      proxy.cutAt('INSERT INTO', cut);
      await expect(cuttable.repository(Note).insert({ id: 'two', money: 1 })).rejects.toEqual(unknown);
      expect(await ids()).toEqual(cut === 'after' ? ['one', 'two'] : []);
    },
  );

  it('is told to the user of the first connection of all when that is lost, and the service goes on', async () => {
    const other = await connected(proxy.url);
    proxy.cutAt('INSERT INTO', 'before');
    await expect(other.query(...insert('one'))).rejects.toEqual(unknown);
    expect(await ids(other)).toEqual([]);
    await other.close();
  });

  it('of a read is none: it can be asked again', async () => {
    const reads = [
      () => cuttable.query('SELECT id FROM notes'),
      () => cuttable.reads.query('SELECT id FROM notes WHERE true'),
      () => cuttable.repository(Note).find(),
    ];
    for (const read of reads) {
      proxy.cutAt('notes', 'after', 'SELECT');
      const error = await read().catch((thrown: unknown) => thrown);
      expect(isUnreachable(error)).toBe(true);
      expect(await read()).toEqual([]);
    }
  });
});

describe('the wait for a synchronous standby', () => {
  let server: PostgresServer;
  let own: Database;

  beforeAll(async () => {
    // From its start on: told while it runs, PostgreSQL lets commits of the next moment through without waiting.
    server = await PostgresServer.start({ synchronous_standby_names: 'nobody', synchronous_commit: 'local' });
    const url = await server.createDatabase('own');
    await server.run(TABLE, 'own');
    await server.run('ALTER DATABASE own SET synchronous_commit = on');
    own = await connected(url);
  }, 60_000);
  afterAll(async () => {
    await own.close();
    await server.remove();
  });

  const cancelWait = async (): Promise<void> => {
    const waiting = `FROM pg_stat_activity WHERE wait_event = 'SyncRep'`;
    await until(async () => (await server.run(`SELECT pid ${waiting}`)).length > 0);
    await server.run(`SELECT pg_cancel_backend(pid) ${waiting}`);
  };

  it.each<[string, () => Promise<unknown>]>([
    ['a transaction', () => own.transaction((tx) => tx.write(...insert('transaction')))],
    ['a statement', () => own.query(...insert('statement'))],
    ['a repository', () => own.repository(Note).insert({ id: 'repository', money: 1 })],
  ])('is not taken for success when it is canceled: %s', async (_, write) => {
    const outcome = write().then(
      () => 'success',
      (error: unknown) => (error as AppError).code,
    );
    await cancelWait();
    expect(await outcome).toBe('OUTCOME_UNKNOWN');
  });

  it('is told from other notices in any language', () => {
    // As pg hands it over with lc_messages = 'de_DE.UTF-8'.
    const notice = {
      name: 'notice',
      severity: 'WARNUNG',
      code: '01000',
      message: 'storniere Warten auf synchrone Replikation wegen Benutzeraufforderung',
      file: 'syncrep.c',
      routine: 'SyncRepWaitForLSN',
    };
    expect(isStandbyWaitCanceled(notice)).toBe(true);
    expect(isStandbyWaitCanceled({ ...notice, routine: 'exec_stmt_raise' })).toBe(false);
    const raised = "DO $$ BEGIN RAISE WARNING 'canceling wait for synchronous replication'; END $$";
    return expect(database.transaction((tx) => tx.write(raised))).resolves.toBeUndefined();
  });
});

describe('reads', () => {
  const hold = 'SELECT pg_advisory_lock(1), pg_advisory_unlock(1)';
  const waiting = async (): Promise<number> => {
    const [row] = await database.query<{ count: number }>(
      `SELECT count(*) AS count FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return row!.count;
  };

  it('hold a quarter of the connections at most, so that payments go on, and past their queue are refused', async () => {
    await database.transaction(async (tx) => {
      await tx.query('SELECT pg_advisory_lock(1)');
      const slow = Array.from({ length: POOL_MAX / 4 + READ_QUEUE_MAX }, () => database.reads.query(hold));
      const settled = Promise.all(slow);
      await until(async () => (await waiting()) === POOL_MAX / 4);
      await expect(database.reads.query('SELECT 1')).rejects.toMatchObject({ code: 'OVERLOADED' });
      await expect(database.reads.repository(Note).find()).rejects.toMatchObject({ code: 'OVERLOADED' });
      await database.transaction((other) => other.write(...insert('paid')));
      expect(await waiting()).toBe(POOL_MAX / 4);
      await tx.query('SELECT pg_advisory_unlock(1)');
      await settled;
    });
    expect(await database.reads.repository(Note).find()).toEqual([{ id: 'paid', money: 1 }]);
  });

  it('are planned by PostgreSQL alone, on a connection that payments use afterwards', async () => {
    const single = await connected(fresh.url, 1);
    const settings = `SELECT current_setting('plan_cache_mode') AS plans, current_setting('enable_seqscan') AS seq,
      current_setting('enable_bitmapscan') AS bitmap`;
    expect(await single.reads.query(settings)).toEqual([{ plans: 'auto', seq: 'on', bitmap: 'on' }]);
    const payments = [{ plans: 'force_generic_plan', seq: 'off', bitmap: 'off' }];
    expect(await single.transaction((tx) => tx.query(settings))).toEqual(payments);
    await single.close();
  });

  it('are given up after their time, which no other statement inherits', async () => {
    const single = await connected(fresh.url, 1);
    const timeouts = 'SELECT current_setting($1) AS value';
    expect(await single.reads.query(timeouts, ['statement_timeout'])).toEqual([
      { value: `${READ_TIMEOUT_MS / 1_000}s` },
    ]);
    expect(await single.query(timeouts, ['statement_timeout'])).toEqual([{ value: '0' }]);
    await single.reads.repository(Note).find();
    expect(await single.query(timeouts, ['statement_timeout'])).toEqual([{ value: '0' }]);
    const canceled = single.reads.query('SELECT pg_sleep(60)');
    canceled.catch(() => undefined);
    await until(async () => {
      const [row] = await database.query<{ count: number }>(
        `SELECT count(pg_cancel_backend(pid)) AS count FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event = 'PgSleep'`,
      );
      return row!.count > 0;
    });
    await expect(canceled).rejects.toMatchObject({ code: 'OVERLOADED' });
    expect(await single.query(timeouts, ['statement_timeout'])).toEqual([{ value: '0' }]);
    await single.close();
  });
});
