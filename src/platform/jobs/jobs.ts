import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import {
  type CronItem,
  Logger as WorkerLogger,
  parseCronItems,
  run,
  runMigrations,
  type Runner,
  type TaskList,
} from 'graphile-worker';
import type pg from 'pg';
import { sharedPool } from '../database/shared-pool.js';
import { Database } from '../database/database.js';
import type { Tx } from '../database/tx.js';
import { LimitedLog } from '../observability/limited-log.js';
import { RecurringTask } from './recurring-task.js';

/** The longest a job may take. A job locked for longer belonged to a process that died, and is given to another. */
export const JOB_DEADLINE_MS = 60_000;
const JOBS_AT_ONCE = 8;
/**
 * All that ask for jobs, and report them done, share so many connections: each asks for a millisecond, at first all at
 * once, and would keep a connection of its own. One more listens for new jobs.
 */
const CONNECTIONS_MAX = 2;
/** A new job is told of as it is written: this finds those whose time comes later, or that a dead process left. */
const POLL_MS = 2_000;
const DAY_MS = 24 * 60 * 60_000;

type Job = (payload: never) => Promise<void>;

/**
 * Work outside requests. Durable jobs live in the tables of graphile-worker: written in a transaction, done at least
 * once after its commit, again after a crash, with back-off after a throw. A job must do no harm when it runs twice,
 * and end within {@link JOB_DEADLINE_MS}.
 */
@Injectable()
export class Jobs implements BeforeApplicationShutdown {
  private readonly log = new Logger(Jobs.name);
  private readonly limitedLog = new LimitedLog(this.log);
  private readonly jobs = new Map<string, Job>();
  private readonly dailyJobs: CronItem[] = [];
  private readonly recurring: RecurringTask[] = [];
  private readonly startWork: (() => Promise<void>)[] = [];
  private startRun: Promise<unknown> | undefined;
  private runner: Runner | undefined;
  private unlocker: NodeJS.Timeout | undefined;
  private readonly stopping = new AbortController();

  constructor(private readonly database: Database) {}

  /** Gives the durable job `name` its code. Every replica must define the same names before it starts. */
  define<Payload>(name: string, job: (payload: Payload) => Promise<void>): void {
    if (this.jobs.has(name)) throw new Error(`the job ${name} is defined twice`);
    this.jobs.set(name, job);
  }

  /**
   * Has the durable job `name` run once a day over all replicas, at `at` (`HH:MM`, UTC). One that fell due while no
   * replica ran is made up for at the next start. Longer work than {@link JOB_DEADLINE_MS} is to be split up.
   */
  daily(name: string, at: string, job: () => Promise<void>): void {
    const [hour, minute] = at.split(':').map(Number);
    this.define(name, job);
    this.dailyJobs.push({
      task: name,
      identifier: name,
      match: `${minute ?? 0} ${hour ?? 0} * * *`,
      options: { backfillPeriod: DAY_MS },
    });
  }

  /** Has this process do `work` once, when it starts to work on jobs, beside all else. */
  atStart(work: () => Promise<void>): void {
    this.startWork.push(work);
  }

  /** Has this process do `work` every `ms` while it works on jobs; a run is left out while the last one lasts. */
  every(ms: number, work: () => Promise<void>): RecurringTask {
    const task = new RecurringTask(ms, () =>
      work().catch((error: unknown) => {
        this.limitedLog.warn(`recurring task failed: ${String(error)}`);
      }),
    );
    this.recurring.push(task);
    return task;
  }

  /**
   * Writes a job in `tx`, to run after `delaySeconds`. With a `key`, a job of the same key that has not started
   * is replaced. Throws an Error for a job that is not defined.
   */
  schedule(
    tx: Tx,
    name: string,
    payload: object,
    { delaySeconds = 0, key = null }: { delaySeconds?: number; key?: string | null } = {},
  ): void {
    if (!this.jobs.has(name)) throw new Error(`no handler is defined for the job ${name}`);
    tx.write(
      `SELECT FROM graphile_worker.add_jobs(ARRAY[ROW($1::text, $2::json, NULL,
         clock_timestamp() + $3 * interval '1 second', NULL, $4::text, NULL, NULL)::graphile_worker.job_spec])`,
      [name, JSON.stringify(payload), delaySeconds, key],
    );
  }

  /**
   * Makes or updates the job tables, over a pool of their owner. Safe to call from several replicas at once only under
   * a lock of theirs.
   */
  static async migrate(pgPool: pg.Pool): Promise<void> {
    await runMigrations({ pgPool });
  }

  /** Starts working on jobs. `singleInstance` says that no other process uses this database: every lock is stale. */
  async start({ singleInstance }: { singleInstance: boolean }): Promise<void> {
    await this.unlockJobs(singleInstance ? 0 : JOB_DEADLINE_MS);
    this.unlocker = setInterval(() => {
      this.unlockJobs(JOB_DEADLINE_MS).catch((error: unknown) => this.limitedLog.warn(String(error)));
    }, JOB_DEADLINE_MS / 4);
    const taskList: TaskList = {};
    for (const [name, job] of this.jobs) taskList[name] = (payload) => job(payload as never);
    this.runner = await run({
      pgPool: sharedPool(this.database.pool, CONNECTIONS_MAX, this.stopping.signal),
      taskList,
      concurrency: JOBS_AT_ONCE,
      noHandleSignals: true,
      pollInterval: POLL_MS,
      parsedCronItems: parseCronItems(this.dailyJobs),
      logger: this.workerLogger(),
    });
    for (const task of this.recurring) task.start();
    this.startRun = Promise.all(
      this.startWork.map((work) =>
        work().catch((error: unknown) => {
          this.limitedLog.warn(`work of the start failed: ${String(error)}`);
        }),
      ),
    );
  }

  /**
   * The worker tells of every job; only what went wrong is worth a line. What is not about one job, such as its
   * connection, it would say once a second for as long as an outage lasts.
   */
  private workerLogger(): WorkerLogger {
    return new WorkerLogger(() => (level, message) => {
      if (level === 'error' && message.startsWith('Failed task')) this.log.error(message);
      else if (level === 'error') this.limitedLog.errorLine(message);
      else if (level === 'warning') this.limitedLog.warn(message);
      else this.log.debug(message);
    });
  }

  /**
   * Jobs that a dead process holds would otherwise stay locked for four hours. Unlocking all that a worker holds is
   * safe: a worker that holds one job past the deadline is dead, so that its other jobs are free as well.
   */
  private async unlockJobs(olderThanMs: number): Promise<void> {
    await this.database.query(
      `SELECT graphile_worker.force_unlock_workers(array_agg(DISTINCT locked_by)) FROM graphile_worker.jobs
        WHERE locked_at < now() - $1 * interval '1 millisecond' HAVING count(*) > 0`,
      [olderThanMs],
    );
  }

  /** Lets the jobs under way finish, and takes no more. */
  async stop(): Promise<void> {
    clearInterval(this.unlocker);
    this.stopping.abort();
    const runner = this.runner;
    this.runner = undefined;
    await Promise.all([runner?.stop(), this.startRun, ...this.recurring.map((task) => task.stop())]);
  }

  /** Before the connections are closed: Nest runs the shutdown hooks of one module side by side. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.stop();
  }
}
