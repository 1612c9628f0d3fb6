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
import { SpanKind } from '@opentelemetry/api';
import { LimitedLog } from '../observability/limited-log.js';
import { currentTraceParent, inSpan } from '../observability/tracing.js';
import { JobMetrics } from './job-metrics.js';
import { RecurringTask } from './recurring-task.js';

/** A job locked longer belonged to a dead process and is given to another. */
export const JOB_DEADLINE_MS = 60_000;
const JOBS_AT_ONCE = 8;
/** Connections shared by all job queries; one more listens. */
const CONNECTIONS_MAX = 2;
/** Milliseconds: finds delayed jobs and those of dead processes. */
const POLL_MS = 2_000;
const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

type Job = (payload: never) => Promise<void>;

/**
 * Work outside requests. Durable jobs are graphile-worker's: written in a transaction, run at least once
 * after its commit. A job must be idempotent and end within {@link JOB_DEADLINE_MS}.
 */
@Injectable()
export class Jobs implements BeforeApplicationShutdown {
  private readonly log = new Logger(Jobs.name);
  private readonly limitedLog = new LimitedLog(this.log);
  private readonly jobs = new Map<string, Job>();
  private readonly cronJobs: CronItem[] = [];
  private readonly recurring: RecurringTask[] = [];
  private readonly startWork: (() => Promise<void>)[] = [];
  private startRun: Promise<unknown> | undefined;
  private runner: Runner | undefined;
  private unlocker: NodeJS.Timeout | undefined;
  private readonly stopping = new AbortController();

  constructor(
    private readonly database: Database,
    private readonly metrics: JobMetrics,
  ) {}

  /** Every replica must define the same names before starting. */
  define<Payload>(name: string, job: (payload: Payload) => Promise<void>): void {
    if (this.jobs.has(name)) throw new Error(`the job ${name} is defined twice`);
    this.jobs.set(name, job);
  }

  /**
   * Runs once a day over all replicas at `at` (`HH:MM`, UTC); made up for at the next start. Split work
   * longer than {@link JOB_DEADLINE_MS}.
   */
  daily(name: string, at: string, job: () => Promise<void>): void {
    const [hour, minute] = at.split(':').map(Number);
    this.repeat(name, `${minute ?? 0} ${hour ?? 0} * * *`, DAY_MS, job);
  }

  /** As {@link daily}, once an hour. */
  hourly(name: string, minute: number, job: () => Promise<void>): void {
    this.repeat(name, `${minute} * * * *`, HOUR_MS, job);
  }

  private repeat(name: string, match: string, backfillPeriod: number, job: () => Promise<void>): void {
    this.define(name, job);
    this.cronJobs.push({ task: name, identifier: name, match, options: { backfillPeriod } });
  }

  /** Runs in this process at start. */
  atStart(work: () => Promise<void>): void {
    this.startWork.push(work);
  }

  /** Runs in this process every `ms`, never twice at once. */
  every(ms: number, work: () => Promise<void>): RecurringTask {
    const task = new RecurringTask(ms, () =>
      work().catch((error: unknown) => {
        this.limitedLog.warn(`recurring task failed: ${String(error)}`);
      }),
    );
    this.recurring.push(task);
    return task;
  }

  /** Writes a job in `tx`. A `key` replaces a job that has not started. Throws for an undefined job. */
  schedule(
    tx: Tx,
    name: string,
    payload: object,
    { delaySeconds = 0, key = null }: { delaySeconds?: number; key?: string | null } = {},
  ): void {
    if (!this.jobs.has(name)) throw new Error(`no handler is defined for the job ${name}`);
    tx.write(
      `SELECT FROM graphile_worker.add_jobs(ARRAY[ROW($1::text, $2::json, NULL,
         clock_timestamp() + $3 * interval '1 second', NULL, $4::text, NULL, $5::text[])::graphile_worker.job_spec])`,
      [name, JSON.stringify(payload), delaySeconds, key, flags(key)],
    );
  }

  /** Needs a lock against other replicas. */
  static async migrate(pgPool: pg.Pool): Promise<void> {
    await runMigrations({ pgPool });
  }

  /** `singleInstance`: every lock is stale. */
  async start({ singleInstance }: { singleInstance: boolean }): Promise<void> {
    await this.unlockJobs(singleInstance ? 0 : JOB_DEADLINE_MS);
    this.unlocker = setInterval(() => {
      this.unlockJobs(JOB_DEADLINE_MS).catch((error: unknown) => this.limitedLog.warn(String(error)));
    }, JOB_DEADLINE_MS / 4);
    const taskList: TaskList = {};
    for (const [name, job] of this.jobs) {
      taskList[name] = (payload, { job: { id, attempts, max_attempts: attemptsMax, flags } }) =>
        this.metrics
          .run(name, () =>
            inSpan(`job ${name}`, { kind: SpanKind.CONSUMER, parent: parentIn(flags) }, () =>
              job(payload as never),
            ),
          )
          .catch((error: unknown) => {
            this.log.error(
              { err: error, job: name, jobId: id, attempt: attempts, attemptsMax },
              'job failed',
            );
            throw error;
          });
    }
    this.runner = await run({
      pgPool: sharedPool(this.database.pool, CONNECTIONS_MAX, this.stopping.signal),
      taskList,
      concurrency: JOBS_AT_ONCE,
      noHandleSignals: true,
      pollInterval: POLL_MS,
      parsedCronItems: parseCronItems(this.cronJobs),
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

  /** An outage would repeat lines every second. A failed task has a line of its own. */
  private workerLogger(): WorkerLogger {
    return new WorkerLogger(() => (level, message) => {
      const isLogged = message.startsWith('Failed task');
      if (level === 'error' && !isLogged) this.limitedLog.errorLine(message);
      else if (level === 'warning') this.limitedLog.warn(message);
      else this.log.debug(message);
    });
  }

  /**
   * A worker past one deadline is dead: all its jobs are unlocked, hours before graphile-worker would. Those
   * whose key went to a newer job are deleted.
   */
  private async unlockJobs(olderThanMs: number): Promise<void> {
    await this.database.query(
      `SELECT graphile_worker.force_unlock_workers(array_agg(DISTINCT locked_by)) FROM graphile_worker.jobs
        WHERE locked_at < now() - $1 * interval '1 millisecond' HAVING count(*) > 0`,
      [olderThanMs],
    );
    await this.database.query(
      `SELECT graphile_worker.complete_jobs(array_agg(id)) FROM graphile_worker._private_jobs
        WHERE key IS NULL AND flags ? $1 AND locked_at IS NULL HAVING count(*) > 0`,
      [KEYED_FLAG],
    );
  }

  /** Lets current jobs finish. */
  async stop(): Promise<void> {
    clearInterval(this.unlocker);
    this.stopping.abort();
    const runner = this.runner;
    this.runner = undefined;
    await Promise.all([runner?.stop(), this.startRun, ...this.recurring.map((task) => task.stop())]);
  }

  /** Hooks of one module run side by side, and connections must close later. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.stop();
  }
}

/** Its trace stands in the flags, where a release without traces leaves it alone. */
const TRACE_FLAG = 'traceparent:';

/** Jobs that had a key. */
const KEYED_FLAG = 'keyed';

function flags(key: string | null): string[] {
  const traceParent = currentTraceParent();
  return [...(traceParent === null ? [] : [TRACE_FLAG + traceParent]), ...(key === null ? [] : [KEYED_FLAG])];
}

function parentIn(given: object | null): string | null {
  const flag = Object.keys(given ?? {}).find((each) => each.startsWith(TRACE_FLAG));
  return flag?.slice(TRACE_FLAG.length) ?? null;
}
