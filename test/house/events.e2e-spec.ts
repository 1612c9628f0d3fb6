import 'reflect-metadata';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Global, type INestApplicationContext, Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EventEmitterModule } from '@nestjs/event-emitter';
import pg from 'pg';
import { serviceDataSource } from '../../src/platform/database/data-source.js';
import { Database } from '../../src/platform/database/database.js';
import type { Tx } from '../../src/platform/database/tx.js';
import { AfterCommit, Events, InTransaction, Prefetch } from '../../src/platform/events/events.js';
import { JobMetrics } from '../../src/platform/jobs/job-metrics.js';
import { JOB_DEADLINE_MS, Jobs } from '../../src/platform/jobs/jobs.js';
import { DatabaseGauges } from '../../src/platform/observability/database-gauges.js';
import { Metrics } from '../../src/platform/observability/metrics.js';
import { freshDatabase } from '../support/database.js';
import { until } from '../support/service.js';
import { testWire } from '../support/wire.js';

class Sung {
  static readonly type = 'song.sung';
  readonly title: string;

  constructor(payload: Sung) {
    Object.assign(this, payload);
  }
}

class Unheard {
  static readonly type = 'song.unheard';
  readonly title = 'none';
}

/** What the handlers did, in order. */
let heard: string[] = [];
let failing: 'first' | 'second' | 'job' | null = null;

@Injectable()
class First {
  @InTransaction(Sung)
  async write(songs: readonly Sung[], tx: Tx): Promise<void> {
    heard.push(`first begins: ${songs.map(({ title }) => title).join()}`);
    await tx.query('INSERT INTO notes SELECT unnest($1::text[])', [songs.map(({ title }) => title)]);
    if (failing === 'first') throw new Error('the first can not');
    heard.push('first ends');
  }

  @AfterCommit(Sung)
  later(songs: readonly Sung[]): void {
    heard.push(`later: ${songs.map(({ title }) => title).join()}`);
    if (failing === 'job') {
      failing = null;
      throw new Error('the job can not');
    }
  }
}

@Injectable()
class Second {
  @InTransaction(Sung)
  async write(_: readonly Sung[], tx: Tx): Promise<void> {
    const [row] = await tx.query<{ count: number }>('SELECT count(*) AS count FROM notes');
    heard.push(`second reads ${row?.count}`);
    if (failing === 'second') throw new Error('the second can not');
  }

  @Prefetch(Sung)
  read(walletIds: readonly string[]): void {
    heard.push(`prefetch: ${walletIds.join()}`);
  }
}

let database: Database;
let drop: () => Promise<void>;

async function start(...providers: object[]): Promise<INestApplicationContext> {
  @Global()
  @Module({
    imports: [EventEmitterModule.forRoot()],
    // `ALIAS` is the same instance by another name, as a port is of its store.
    providers: [
      { provide: Database, useValue: database },
      { provide: Metrics, useValue: new Metrics() },
      DatabaseGauges,
      JobMetrics,
      Events,
      Jobs,
      First,
      Second,
      { provide: 'ALIAS', useExisting: First },
      ...(providers as []),
    ],
  })
  class EventsTestModule {}
  return NestFactory.createApplicationContext(EventsTestModule, { logger: false, abortOnError: false });
}

describe('the event bus', () => {
  let app: INestApplicationContext;
  let events: Events;

  beforeAll(async () => {
    const fresh = await freshDatabase();
    drop = fresh.drop;
    const owner = new pg.Pool({ connectionString: fresh.url });
    owner.on('error', () => undefined).on('connect', (client) => client.on('error', () => undefined));
    await Jobs.migrate(owner);
    await owner.end();
    database = new Database(serviceDataSource(fresh.url, 5, []), testWire());
    await database.connect();
    await database.query('CREATE TABLE notes (title text)');
    app = await start();
    events = app.get(Events);
    await events.ready();
  });
  beforeEach(async () => {
    heard = [];
    failing = null;
    await database.query('DELETE FROM notes');
  });
  afterAll(async () => {
    await app.close();
    await database.close();
    await drop();
  });

  const publish = (...titles: string[]): Promise<void> =>
    database.transaction((tx) =>
      events.publish(
        titles.map((title) => new Sung({ title })),
        tx,
      ),
    );
  const stored = async (): Promise<number[]> => {
    const [row] = await database.query<{ notes: number; jobs: number }>(
      'SELECT (SELECT count(*) FROM notes) AS notes, (SELECT count(*) FROM graphile_worker.jobs) AS jobs',
    );
    return [row!.notes, row!.jobs];
  };

  it('hands all events of a publication to each handler once, one handler after the other, in the same transaction', async () => {
    await publish('one', 'two');
    expect(heard).toEqual(['first begins: one,two', 'first ends', 'second reads 2']);
    expect(await stored()).toEqual([2, 1]);
    await database.query('DELETE FROM graphile_worker._private_jobs');
  });

  it.each(['first', 'second'] as const)(
    'rolls everything back when the %s handler throws, its job too',
    async (which) => {
      failing = which;
      await expect(publish('one')).rejects.toThrow(`the ${which} can not`);
      expect(await stored()).toEqual([0, 0]);
      expect(heard.includes('second reads 1')).toBe(which === 'second');
    },
  );

  it('writes no job when the publisher rolls back', async () => {
    await expect(
      database.transaction(async (tx) => {
        await events.publish([new Sung({ title: 'one' })], tx);
        throw new Error('changed my mind');
      }),
    ).rejects.toThrow('changed my mind');
    expect(await stored()).toEqual([0, 0]);
  });

  it('throws for an event without a handler, and does nothing for no event', async () => {
    const nothing = database.transaction((tx) => events.publish([new Unheard()], tx));
    await expect(nothing).rejects.toThrow('no handler subscribes to the event song.unheard');
    await database.transaction((tx) => events.publish([], tx));
  });

  it('has read what a handler will need, without running the handlers', async () => {
    await database.transaction((tx) => events.prefetch(Sung, ['w1', 'w2'], tx));
    await database.transaction((tx) => events.prefetch(Unheard, ['w1'], tx));
    expect(heard).toEqual(['prefetch: w1,w2']);
  });

  it('runs an after-commit handler as a job, and again after it threw', async () => {
    failing = 'job';
    const jobs = app.get(Jobs);
    await publish('one');
    expect(heard).not.toContain('later: one');
    await jobs.start({ singleInstance: true });
    await until(() => Promise.resolve(heard.includes('later: one')));
    await until(
      async () =>
        (await database.query('SELECT FROM graphile_worker.jobs WHERE attempts = 1 AND locked_at IS NULL'))
          .length === 1,
    );
    await database.query('UPDATE graphile_worker._private_jobs SET run_at = now()');
    await until(async () => (await stored())[1] === 0);
    await jobs.stop();
    expect(heard.filter((line) => line === 'later: one')).toHaveLength(2);
  });

  /** A job that a process had locked, so many seconds ago, when it died. */
  const leaveBehind = async (title: string, secondsAgo: number): Promise<void> => {
    await publish(title);
    await database.query(
      `UPDATE graphile_worker._private_jobs SET locked_at = now() - $1 * interval '1 second', locked_by = $2
        WHERE locked_at IS NULL`,
      [secondsAgo, `dead ${title}`],
    );
  };

  it('takes at its start what a dead process had locked, when no other process uses the database', async () => {
    await leaveBehind('orphan', 0);
    const jobs = app.get(Jobs);
    await jobs.start({ singleInstance: true });
    await until(() => Promise.resolve(heard.includes('later: orphan')));
    await jobs.stop();
  });

  it('leaves alone what another process may still work on, and takes what is past the deadline', async () => {
    await leaveBehind('under way', JOB_DEADLINE_MS / 1_000 - 20);
    await leaveBehind('overdue', JOB_DEADLINE_MS / 1_000 + 1);
    const jobs = app.get(Jobs);
    await jobs.start({ singleInstance: false });
    await until(() => Promise.resolve(heard.includes('later: overdue')));
    await publish('the next');
    await until(() => Promise.resolve(heard.includes('later: the next')));
    await jobs.stop();
    expect(heard).not.toContain('later: under way');
    await database.query(`DELETE FROM graphile_worker._private_jobs WHERE locked_by = 'dead under way'`);
  });

  it('replaces a job of the same key that has not started, and no other', async () => {
    const jobs = app.get(Jobs);
    const done: string[] = [];
    jobs.define<{ n: string }>('keyed', ({ n }) => Promise.resolve(void done.push(n)));
    const schedule = (n: string, key?: string) =>
      database.transaction((tx) => jobs.schedule(tx, 'keyed', { n }, key === undefined ? {} : { key }));
    await schedule('the first of one', 'one');
    await schedule('the first of two', 'two');
    await schedule('the second of one', 'one');
    await schedule('of none');
    await schedule('of none either');
    await jobs.start({ singleInstance: true });
    await until(async () => (await stored())[1] === 0);
    await jobs.stop();
    expect(done.sort()).toEqual(['of none', 'of none either', 'the first of two', 'the second of one']);
  });

  it('deletes a job of a dead process whose key went to a newer one, and no job that never had a key', async () => {
    const jobs = app.get(Jobs);
    const done: string[] = [];
    jobs.define<{ n: string }>('replaced', ({ n }) => Promise.resolve(void done.push(n)));
    const schedule = (n: string, key: string | null) =>
      database.transaction((tx) => jobs.schedule(tx, 'replaced', { n }, { key }));
    await schedule('died', 'one');
    await schedule('died at its last attempt', null);
    await database.query(
      `UPDATE graphile_worker._private_jobs SET locked_at = now() - interval '1 hour', locked_by = 'dead',
         attempts = CASE WHEN key IS NULL THEN max_attempts ELSE 1 END`,
    );
    await schedule('took its key', 'one');
    await jobs.start({ singleInstance: false });
    await until(async () => (await stored())[1] === 1);
    await jobs.stop();
    expect(done).toEqual(['took its key']);
    const left = await database.query<{ payload: { n: string } }>(
      'SELECT payload FROM graphile_worker._private_jobs',
    );
    expect(left.map(({ payload }) => payload.n)).toEqual(['died at its last attempt']);
    await database.query('DELETE FROM graphile_worker._private_jobs');
  });

  it('is not ready when the handlers could not be subscribed', async () => {
    class Broken {
      handle(): void {
        // Never reached: looking at it throws.
      }
    }
    const broken = new Proxy(new Broken(), {
      get: (target, name) => {
        if (name === 'handle') throw new Error('can not be read');
        return Reflect.get(target, name) as unknown;
      },
    });
    const other = await start({ provide: 'BROKEN', useValue: broken });
    await expect(other.get(Events).ready()).rejects.toThrow('can not be read');
    await other.close();
  });
});
