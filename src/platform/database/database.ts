import { Logger } from '@nestjs/common';
import pLimit, { type LimitFunction } from 'p-limit';
import type pg from 'pg';
import type { DataSource, EntityTarget, ObjectLiteral, Repository } from 'typeorm';
import { AppError } from '../../kernel/errors.js';
import { LimitedLog } from '../observability/limited-log.js';
import { withoutRequestId } from '../observability/request-id.js';
import type { Connection } from './connection.js';
import { poolOf, TRANSACTION_DEADLINE_MS } from './data-source.js';
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
import { prepared } from './prepared.js';
import { Reads } from './reads.js';
import type { Replica } from './replica.js';
import { SpareRunner } from './spare-runner.js';
import { combined, type RowStatement, rowWrite } from './row-statement.js';
import { onErrorAnswer } from './wire/error-answers.js';
import type { Wire } from './wire/wire.js';
import { type Queryable, Tx } from './tx.js';

/**
 * Repository outside a transaction: each call is one statement. `save` and `remove` would commit by
 * themselves; use `tx.repository`.
 */
export type AutocommitRepository<Entity extends ObjectLiteral> = Omit<
  Repository<Entity>,
  'save' | 'remove' | 'softRemove' | 'recover' | 'query' | 'manager' | 'queryRunner'
>;

const NOT_ENDED = 'its transaction did not end';
/** Writes some 5 MB of temporary files. */
const TAKE_DISK = ['SET LOCAL work_mem = 64', 'SELECT count(*) FROM generate_series(1, 200000)'] as const;

/** The service's PostgreSQL: one bounded pool, READ COMMITTED. */
export class Database implements Queryable {
  private readonly log = new Logger(Database.name);
  private readonly limitedLog = new LimitedLog(this.log);
  /** Set before `reads` are used. */
  replica: Replica | undefined;
  private ownReads: Reads | undefined;
  private wasDiskFull = false;

  constructor(
    readonly source: DataSource,
    private readonly wire: Wire,
    private readonly slots?: LimitFunction,
    private readonly spare = new SpareRunner(source),
  ) {}

  /** Throws what PostgreSQL or the network reports. */
  async connect(): Promise<void> {
    await this.source.initialize();
    // A connection outlives its request.
    const onLost = (error: Error): void => {
      if (this.pool.ending) return;
      withoutRequestId(() => this.limitedLog.warn(`connection lost: ${error.message}`));
    };
    const onRefused = (error: Error): void => {
      if (isDiskFull(error)) this.wasDiskFull = true;
    };
    const attachErrorHandler = (client: pg.PoolClient): unknown => {
      onErrorAnswer(client, onRefused);
      return client.on('error', onLost);
    };
    // An error event without a listener would end the process.
    this.pool.on('error', () => undefined).on('connect', attachErrorHandler);
    const made = await Promise.all(Array.from({ length: this.pool.totalCount }, () => this.pool.connect()));
    for (const client of made) {
      attachErrorHandler(client);
      client.release();
    }
  }

  /** For libraries that bring their own statements. */
  get pool(): pg.Pool {
    return poolOf(this.source);
  }

  /** For lists and downloads: a quarter of the connections. */
  get reads(): Reads {
    return (this.ownReads ??= new Reads(this.source, this.readsMax, this.replica));
  }

  get readsMax(): number {
    return Math.max(1, Math.floor(this.pool.options.max / 4));
  }

  share(max: number): Database {
    return new Database(this.source, this.wire, pLimit(max), this.spare);
  }

  /** For reads, and writes of one statement. */
  repository<Entity extends ObjectLiteral>(entity: EntityTarget<Entity>): AutocommitRepository<Entity> {
    return this.source.getRepository(entity);
  }

  async query<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const run = () => this.autocommit<Row>(text, values);
    return this.slots ? this.slots(run) : run();
  }

  /** As `tx.writeRows`, by itself. */
  async writeRows<Row>(statement: RowStatement<Row>, rows: readonly Row[]): Promise<void> {
    if (rows.length === 0) return;
    const { text, values } = combined([rowWrite(statement, rows)], this.wire);
    await this.query(text, values);
  }

  private async autocommit<Row>(text: string, values: readonly unknown[]): Promise<Row[]> {
    const client = (await this.pool.connect()) as Connection & pg.PoolClient;
    let lost: Error | undefined;
    try {
      const { rows } = await client.query(prepared(text, values));
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
   * Runs `work` in one transaction, all-or-nothing. Throws what `work` throws, after a rollback;
   * `OUTCOME_UNKNOWN` if COMMIT got no clear answer.
   */
  transaction<T>(work: (tx: Tx) => Promise<T> | T, deadlineMs = TRANSACTION_DEADLINE_MS): Promise<T> {
    const run = () => this.runTransaction(work, deadlineMs);
    return this.slots ? this.slots(run) : run();
  }

  private async runTransaction<T>(work: (tx: Tx) => Promise<T> | T, deadlineMs: number): Promise<T> {
    const runner = this.spare.borrow();
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
    const tx = new Tx(client, runner, this.wire);
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
      // TypeORM drops a connection only after an error event.
      if (fault && !runner.isReleased) client.emit('error', new Error(fault));
      await (tx.hasBoundRunner ? runner.release() : this.spare.giveBack(runner));
    }
  }

  /**
   * Why the database takes no changes, or null. After a full disk a larger write is tried: a small one may
   * fit.
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

  /** Waits for each connection's work, which `destroy` would not. */
  async close(): Promise<void> {
    if (!this.source.isInitialized) return;
    await this.replica?.close();
    await this.spare.close();
    await this.pool.end();
  }
}
