import { Logger } from '@nestjs/common';
import pLimit, { type LimitFunction } from 'p-limit';
import type pg from 'pg';
import type { DataSource, EntityTarget, ObjectLiteral, Repository } from 'typeorm';
import { AppError } from '../../kernel/errors.js';
import { LimitedLog } from '../observability/limited-log.js';
import { withoutRequestId } from '../observability/request-id.js';
import { type Connection, poolOf, TRANSACTION_DEADLINE_MS } from './data-source.js';
import {
  isAborted,
  isDiskFull,
  isBroken,
  isRolledBack,
  isUnreachable,
  mayWrite,
  NotCommitted,
  outcomeUnknown,
} from './failures.js';
import { prepared, sendTo } from './prepared.js';
import { Reads } from './reads.js';
import { SpareRunner } from './spare-runner.js';
import { type Queryable, Tx } from './tx.js';

/**
 * TypeORM's repository outside a transaction: every call is one statement that commits by itself. What takes several
 * (`save`, `remove`) would commit out of our sight: it has its place in `tx.repository`.
 */
export type AutocommitRepository<Entity extends ObjectLiteral> = Omit<
  Repository<Entity>,
  'save' | 'remove' | 'softRemove' | 'recover' | 'query' | 'manager' | 'queryRunner'
>;

const NOT_ENDED = 'its transaction did not end';
/** Makes PostgreSQL write some 5 MB of temporary files, beside the tables. */
const TAKE_DISK = ['SET LOCAL work_mem = 64', 'SELECT count(*) FROM generate_series(1, 200000)'] as const;

/**
 * The PostgreSQL of the service: the one bounded pool of TypeORM's data source. READ COMMITTED; rows are locked
 * where it matters.
 */
export class Database implements Queryable {
  private readonly log = new Logger(Database.name);
  private readonly limitedLog = new LimitedLog(this.log);
  private ownReads: Reads | undefined;
  /** A statement has failed for want of room on the database's disk. */
  private wasDiskFull = false;

  constructor(
    readonly source: DataSource,
    private readonly slots?: LimitFunction,
    private readonly spare = new SpareRunner(source),
  ) {}

  /** Connects; throws what PostgreSQL or the network says when that can't be done. */
  async connect(): Promise<void> {
    await this.source.initialize();
    // A connection outlives the request that opened it, and a database that ends takes all of them with it.
    const onLost = (error: Error): void => {
      // What is being closed may meet a database that is being stopped: nothing is lost then.
      if (this.pool.ending) return;
      withoutRequestId(() => this.limitedLog.warn(`connection lost: ${error.message}`));
    };
    const onRefused = (error: Error): void => {
      if (isDiskFull(error)) this.wasDiskFull = true;
    };
    const attachErrorHandler = (client: pg.PoolClient): unknown => {
      client.connection.on('errorMessage', onRefused);
      return client.on('error', onLost);
    };
    // The pool repeats what its idle connections emit, and an error event without a listener ends the process.
    this.pool.on('error', () => undefined).on('connect', attachErrorHandler);
    // The data source has made its first connection already.
    const made = await Promise.all(Array.from({ length: this.pool.totalCount }, () => this.pool.connect()));
    for (const client of made) {
      attachErrorHandler(client);
      client.release();
    }
  }

  /** The pool itself, for libraries that bring their own statements. */
  get pool(): pg.Pool {
    return poolOf(this.source);
  }

  /** The same database for lists, figures and downloads: a quarter of the connections, so that payments find some. */
  get reads(): Reads {
    return (this.ownReads ??= new Reads(this.source, Math.max(1, Math.floor(this.pool.options.max / 4))));
  }

  /** The same database for work that may hold at most `max` connections of the pool at a time. */
  share(max: number): Database {
    return new Database(this.source, pLimit(max), this.spare);
  }

  /** TypeORM's repository for reads, and for writes of one statement. */
  repository<Entity extends ObjectLiteral>(entity: EntityTarget<Entity>): AutocommitRepository<Entity> {
    return this.source.getRepository(entity);
  }

  async query<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const run = () => this.autocommit<Row>(text, values);
    return this.slots ? this.slots(run) : run();
  }

  private async autocommit<Row>(text: string, values: readonly unknown[]): Promise<Row[]> {
    const client = (await this.pool.connect()) as Connection & pg.PoolClient;
    let lost: Error | undefined;
    try {
      const { rows } = await sendTo(client, prepared(text, values));
      if (client.takeStandbyWaitCanceled()) throw outcomeUnknown();
      return rows as Row[];
    } catch (error) {
      if (isBroken(error)) lost = error as Error;
      if (error instanceof AppError || isRolledBack(error)) throw error;
      lost = error instanceof Error ? error : new Error(String(error));
      if (!mayWrite(text)) throw error;
      this.log.error(`the outcome of a statement is unknown: ${lost.message}`);
      throw outcomeUnknown();
    } finally {
      client.release(lost);
    }
  }

  /**
   * Runs `work` in one transaction and commits it; all-or-nothing.
   *
   * Throws what `work` throws, after a rollback. Throws the refusal `OUTCOME_UNKNOWN` when COMMIT was sent and
   * no clear answer came back: the connection failed, the deadline passed, or PostgreSQL reports that the wait
   * for the synchronous standby was given up. No cancel is ever sent; the connection is dropped instead.
   */
  transaction<T>(work: (tx: Tx) => Promise<T> | T, deadlineMs = TRANSACTION_DEADLINE_MS): Promise<T> {
    const run = () => this.runTransaction(work, deadlineMs);
    return this.slots ? this.slots(run) : run();
  }

  private async runTransaction<T>(work: (tx: Tx) => Promise<T> | T, deadlineMs: number): Promise<T> {
    const runner = this.spare.take();
    const client = (await runner.connect()) as Connection & pg.PoolClient;
    client.takeStandbyWaitCanceled();
    const progress = { committing: false };
    let deadline: NodeJS.Timeout | undefined;
    const overdue = new Promise<never>((_, reject) => {
      deadline = setTimeout(
        () => reject(new Error(`transaction took more than ${deadlineMs} ms`)),
        deadlineMs,
      );
    });
    const tx = new Tx(client, runner);
    const run = async (): Promise<T> => {
      const result = await work(tx);
      progress.committing = true;
      await tx.end('COMMIT');
      if (client.takeStandbyWaitCanceled())
        throw new Error('the wait for the synchronous standby was canceled');
      return result;
    };
    let fault: string | undefined;
    try {
      const result = await Promise.race([run(), overdue]);
      tx.runAfterCommit((error) => this.log.error({ err: error }, 'an after-commit callback failed'));
      return result;
    } catch (error) {
      if (progress.committing && !isRolledBack(error)) {
        fault = NOT_ENDED;
        this.log.error(`the outcome of a COMMIT is unknown: ${String(error)}`);
        throw outcomeUnknown();
      }
      const refusal = error instanceof NotCommitted ? (error.cause ?? error) : error;
      const cause = isAborted(refusal) ? ((await tx.failure()) ?? refusal) : refusal;
      fault = await Promise.race([tx.end('ROLLBACK'), overdue]).then(
        () => (isBroken(cause) ? (cause as Error).message : undefined),
        () => NOT_ENDED,
      );
      throw cause;
    } finally {
      clearTimeout(deadline);
      overdue.catch(() => undefined);
      // TypeORM takes a connection out of the pool only when that connection emits an error.
      if (fault && !runner.isReleased) client.emit('error', new Error(fault));
      await (tx.hasBoundRunner ? runner.release() : this.spare.giveBack(runner));
    }
  }

  /**
   * Why the database takes no changes now; null where it does. A full disk is known by the last statement that it failed,
   * and from then on tried: a small write may find room where a payment finds none.
   */
  async whyReadOnly(): Promise<string | null> {
    const [state] = await this.query<{ readOnly: string }>(
      `SELECT current_setting('transaction_read_only') AS "readOnly"`,
    );
    if (state?.readOnly === 'on') return 'it is read-only';
    if (!this.wasDiskFull) return null;
    this.wasDiskFull = await this.transaction(async (tx) => {
      const [setting, write] = TAKE_DISK;
      tx.write(setting);
      await tx.query(write);
    }).then(
      () => false,
      (error: unknown) => {
        if (isUnreachable(error)) throw error;
        return isDiskFull(error);
      },
    );
    return this.wasDiskFull ? 'its disk is full' : null;
  }

  /** Closes the connections, each once its work is done. The data source's own `destroy` would take them away. */
  async close(): Promise<void> {
    if (!this.source.isInitialized) return;
    await this.spare.close();
    await this.pool.end();
  }
}
