import { type BeforeApplicationShutdown, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import {
  type CronItem,
  Logger as WorkerLogger,
  parseCronItems,
  run,
  runMigrations,
  type Runner,
  type TaskList,
} from 'graphile-worker';
import { Database, type Tx } from '../database/database.js';

/**
 * A class of events: what happened, in the past tense, as plain JSON. `type` is its name on record.
 * Events are published in the transaction that makes them true, and nowhere else.
 */
export interface EventClass<E extends object = object> {
  new (...args: never[]): E;
  readonly type: string;
}

type InTransactionHandler<E> = (events: readonly E[], tx: Tx) => Promise<void> | void;
type AfterCommitHandler<E> = (events: readonly E[]) => Promise<void> | void;

const IN_TRANSACTION = Symbol('in transaction');
const AFTER_COMMIT = Symbol('after commit');
type Subscribed = Record<symbol, EventClass | undefined>;

/** A decorator for methods that are a `Handler`. */
type Subscribe<Handler> = <Method extends Handler>(
  target: object,
  name: string | symbol,
  method: TypedPropertyDescriptor<Method>,
) => void;

function subscribe(phase: symbol, event: EventClass) {
  return (_: object, __: string | symbol, method: TypedPropertyDescriptor<never>): void => {
    (method.value as unknown as Subscribed)[phase] = event;
  };
}

/**
 * The method handles all events of the class that one publication holds, in the publisher's own transaction.
 * A throw rolls the whole transaction back.
 */
export const InTransaction = <E extends object>(event: EventClass<E>) =>
  subscribe(IN_TRANSACTION, event) as unknown as Subscribe<InTransactionHandler<E>>;

/**
 * The method handles the events after their transaction has committed, as one durable job: at least once, again
 * after a crash, with back-off after a throw. It must do no harm when it runs twice, and end within
 * {@link JOB_DEADLINE_MS}.
 */
export const AfterCommit = <E extends object>(event: EventClass<E>) =>
  subscribe(AFTER_COMMIT, event) as unknown as Subscribe<AfterCommitHandler<E>>;

/** The longest a job may take. A job locked for longer belonged to a process that died, and is given to another. */
export const JOB_DEADLINE_MS = 60_000;
const JOBS_AT_ONCE = 8;
const DAY_MS = 24 * 60 * 60_000;

interface Subscription {
  readonly name: string;
  readonly handle: (events: readonly object[], tx?: Tx) => Promise<void> | void;
}

/** Work that a process does again and again, one turn at a time: see {@link Events.every}. */
export class RecurringTask {
  private timer: NodeJS.Timeout | undefined;
  private triggerTimer: NodeJS.Timeout | undefined;
  private currentRun: Promise<void> | undefined;
  private isStarted = false;

  constructor(
    private readonly everyMs: number,
    private readonly work: () => Promise<void>,
  ) {}

  /** Has a turn begin within `ms`, or right after the one under way: what this is asked for then is seen by it. */
  triggerWithin(ms: number): void {
    if (this.isStarted) this.triggerTimer ??= setTimeout(() => this.run(), ms);
  }

  start(): void {
    this.isStarted = true;
    this.timer = setInterval(() => this.run(), this.everyMs);
  }

  /** Takes no more turns, and waits for the one under way. */
  async stop(): Promise<void> {
    this.isStarted = false;
    clearInterval(this.timer);
    clearTimeout(this.triggerTimer);
    await this.currentRun;
  }

  private run(): void {
    if (this.currentRun) return;
    clearTimeout(this.triggerTimer);
    this.triggerTimer = undefined;
    this.currentRun = this.work().finally(() => {
      this.currentRun = undefined;
      if (this.triggerTimer && this.isStarted) this.run();
    });
  }
}

/** A durable job that is asked for by name: see {@link Events.schedule}. */
export type Job = (payload: never) => Promise<void>;

/**
 * The bus between the contexts. Reads go by port, writes by event.
 * The job table of graphile-worker is the outbox: jobs are written in the publisher's transaction.
 */
@Injectable()
export class Events implements OnModuleInit, BeforeApplicationShutdown {
  private readonly log = new Logger(Events.name);
  private readonly inTransaction = new Map<string, Subscription[]>();
  private readonly afterCommit = new Map<string, Subscription[]>();
  private readonly jobs = new Map<string, Job>();
  private readonly dailyJobs: CronItem[] = [];
  private readonly repeated: RecurringTask[] = [];
  private runner: Runner | undefined;
  private unlocker: NodeJS.Timeout | undefined;

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly database: Database,
  ) {}

  /** Finds every subscribed method of every provider, in the order in which the modules were made. */
  onModuleInit(): void {
    // One instance may stand for several providers (`useExisting`): its methods are subscribed once all the same.
    const instances = new Set<unknown>(
      this.discovery.getProviders().map(({ instance }) => instance as unknown),
    );
    for (const instance of instances) {
      if (!instance || typeof instance !== 'object') continue;
      for (const method of this.scanner.getAllMethodNames(Object.getPrototypeOf(instance) as object)) {
        this.register(instance, method);
      }
    }
  }

  private register(instance: object, method: string): void {
    const handler = (instance as Record<string, unknown>)[method] as Subscribed & Subscription['handle'];
    for (const [phase, subscriptions] of [
      [IN_TRANSACTION, this.inTransaction],
      [AFTER_COMMIT, this.afterCommit],
    ] as const) {
      const event = handler[phase];
      if (!event) continue;
      const name = `${event.type} ${instance.constructor.name}.${method}`;
      const handle: Subscription['handle'] = (events, tx) => handler.call(instance, events, tx);
      subscriptions.set(event.type, [...(subscriptions.get(event.type) ?? []), { name, handle }]);
    }
  }

  /**
   * Publishes events of one class in `tx`: runs the in-transaction handlers one after the other (a transaction
   * has one connection) and writes one job for each after-commit handler. All-or-nothing with `tx`.
   * Throws what a handler throws; throws an Error when nobody handles the class, which is a wiring mistake.
   */
  async publish<E extends object>(events: readonly E[], tx: Tx): Promise<void> {
    const [first] = events;
    if (!first) return;
    const { type } = first.constructor as EventClass;
    const direct = this.inTransaction.get(type) ?? [];
    const later = this.afterCommit.get(type) ?? [];
    if (direct.length + later.length === 0) throw new Error(`nobody handles the event ${type}`);
    for (const { handle } of direct) await handle(events, tx);
    for (const { name } of later) this.addJob(tx, name, events);
  }

  /** Gives the durable job `name` its code. Every replica must define the same names before it starts. */
  define<Payload>(name: string, job: (payload: Payload) => Promise<void>): void {
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

  /** Has this process do `work` every `ms` while it works on jobs; a turn is left out while the last one lasts. */
  every(ms: number, work: () => Promise<void>): RecurringTask {
    const repeated = new RecurringTask(ms, () =>
      work().catch((error: unknown) => this.log.warn(`repeated work failed: ${String(error)}`)),
    );
    this.repeated.push(repeated);
    return repeated;
  }

  /**
   * Writes a job in `tx`, to run after `delaySeconds`. With a `key`, a job of the same key that has not started
   * is replaced.
   */
  schedule(
    tx: Tx,
    name: string,
    payload: object,
    { delaySeconds = 0, key = null }: { delaySeconds?: number; key?: string | null } = {},
  ): void {
    if (!this.jobs.has(name)) throw new Error(`nobody does the job ${name}`);
    this.addJob(tx, name, payload, delaySeconds, key);
  }

  private addJob(tx: Tx, name: string, payload: object, delaySeconds = 0, key: string | null = null) {
    tx.write(
      `SELECT FROM graphile_worker.add_jobs(ARRAY[ROW($1::text, $2::json, NULL,
         clock_timestamp() + $3 * interval '1 second', NULL, $4::text, NULL, NULL)::graphile_worker.job_spec])`,
      [name, JSON.stringify(payload), delaySeconds, key],
    );
  }

  /** Makes or updates the job tables. Safe to call from several replicas at once only under a lock of theirs. */
  static async migrate(url: string): Promise<void> {
    await runMigrations({ connectionString: url });
  }

  /** Starts working on jobs. `alone` says that no other process uses this database: then every lock is stale. */
  async start({ singleInstance }: { singleInstance: boolean }): Promise<void> {
    await this.unlockJobs(singleInstance ? 0 : JOB_DEADLINE_MS);
    this.unlocker = setInterval(() => {
      this.unlockJobs(JOB_DEADLINE_MS).catch((error: unknown) => this.log.warn(String(error)));
    }, JOB_DEADLINE_MS / 4);
    const taskList: TaskList = {};
    for (const { name, handle } of [...this.afterCommit.values()].flat()) {
      taskList[name] = (payload) => handle(payload as object[]);
    }
    for (const [name, job] of this.jobs) taskList[name] = (payload) => job(payload as never);
    this.runner = await run({
      pgPool: this.database.pool,
      taskList,
      concurrency: JOBS_AT_ONCE,
      noHandleSignals: true,
      pollInterval: 1_000,
      parsedCronItems: parseCronItems(this.dailyJobs),
      logger: this.workerLogger(),
    });
    for (const each of this.repeated) each.start();
  }

  /** The worker tells of every job; only what went wrong is worth a line. */
  private workerLogger(): WorkerLogger {
    return new WorkerLogger(() => (level, message) => {
      if (level === 'error') this.log.error(message);
      else if (level === 'warning') this.log.warn(message);
      else this.log.debug(message);
    });
  }

  /** Jobs that a dead process holds would otherwise stay locked for four hours. */
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
    const runner = this.runner;
    this.runner = undefined;
    await Promise.all([runner?.stop(), ...this.repeated.map((each) => each.stop())]);
  }

  /** Before the connections are closed: Nest runs the shutdown hooks of one module side by side. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.stop();
  }
}
