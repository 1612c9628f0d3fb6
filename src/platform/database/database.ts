import { Logger } from '@nestjs/common';
import pLimit, { type LimitFunction } from 'p-limit';
import pg from 'pg';
import type { DataSource, EntityTarget, ObjectLiteral, QueryRunner, Repository } from 'typeorm';
import { AppError } from '../../kernel/errors.js';
import { LimitedLog } from '../observability/limited-log.js';
import { withoutRequestId } from '../observability/request-id.js';
import { type Connection, poolOf, TRANSACTION_DEADLINE_MS } from './data-source.js';
import { isAborted, isRolledBack, mayWrite, NotCommitted, outcomeUnknown } from './failures.js';
import { Packet } from './packet.js';
import { prepared, sendTo } from './prepared.js';
import { Reads } from './reads.js';
import { combined, type RowStatement, type RowValue, type RowWrite } from './row-statement.js';

/** Something SQL can be sent to: the pool, or one open transaction. */
export interface Queryable {
  /** Runs one fixed statement with its values; throws pg's DatabaseError. Never build `text` from input. */
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}

/** Prepared too: PostgreSQL then reads them once a connection. */
const named = (text: string): pg.QueryConfig => ({ name: text, text });

/**
 * One open transaction. Whoever holds it writes in it; it ends when the work given to `transaction` ends.
 *
 * Statements go to PostgreSQL in the order in which they are given. Those whose answer nobody needs are not waited
 * for: they travel together with the next one that is, at the latest with COMMIT, in one packet. So do queries that
 * are asked for in the same turn. A round trip costs more than most statements.
 */
export class Tx implements Queryable {
  private unsent: (pg.QueryConfig | RowWrite[])[] = [named('BEGIN')];
  /** What goes out at the end of this turn. */
  private packet: Packet | undefined;
  private readonly sent: Promise<unknown>[] = [];
  private readonly afterCommitCallbacks: (() => void)[] = [];
  private hasRepositories = false;

  constructor(
    private readonly client: pg.PoolClient,
    private readonly runner: QueryRunner,
  ) {}

  async query<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await this.send(prepared(text, values))).rows as Row[];
  }

  /**
   * Gives a statement whose answer is not needed. All-or-nothing holds: when it fails, nothing of the transaction
   * is committed, and `transaction` throws its error.
   */
  write(text: string, values: readonly unknown[] = []): void {
    this.unsent.push(prepared(text, values));
  }

  /**
   * Gives rows to write, under the same promise as {@link write}. Neighbours that write different tables travel as one
   * statement: contexts keep their SQL to themselves, and PostgreSQL is asked once. No rows, no statement.
   */
  writeRows<Row extends Readonly<Record<keyof Row, RowValue>>>(
    statement: RowStatement<Row>,
    rows: readonly Row[],
  ): void {
    if (rows.length === 0) return;
    const write = { statement, rows } as unknown as RowWrite;
    const last = this.unsent.at(-1);
    if (Array.isArray(last) && !last.some((other) => other.statement.table === statement.table)) {
      last.push(write);
    } else this.unsent.push([write]);
  }

  /**
   * TypeORM's repository in this transaction: what was given before is sent before its statements, and all of it is
   * committed or rolled back together. Await each call: one that is not awaited keeps no place in the order.
   */
  repository<Entity extends ObjectLiteral>(entity: EntityTarget<Entity>): Repository<Entity> {
    if (!this.hasRepositories) {
      this.hasRepositories = true;
      // Else `save` and `remove` would begin, and COMMIT, a transaction of their own.
      Object.assign(this.runner, { isTransactionActive: true, transactionDepth: 1 });
      const query = this.runner.query.bind(this.runner) as (...args: unknown[]) => Promise<unknown>;
      this.runner.query = ((...args: unknown[]) => {
        this.send();
        this.flush();
        return this.track(query(...args));
      }) as QueryRunner['query'];
    }
    return this.runner.manager.getRepository(entity);
  }

  /**
   * Has `work` done in this process once the transaction is committed: to wake whoever does durable work. It is lost
   * when the process dies, and what it throws is logged alone: the durable work must be found without it.
   */
  afterCommit(work: () => void): void {
    this.afterCommitCallbacks.push(work);
  }

  /** Sends what is waiting, and COMMIT or ROLLBACK behind it. */
  async end(how: 'COMMIT' | 'ROLLBACK'): Promise<void> {
    if (how === 'ROLLBACK') this.unsent = [];
    const { command } = await this.send(named(how));
    if (command === how) return;
    throw new NotCommitted(`${how} was answered ${command}`, { cause: await this.failure() });
  }

  /** Does what was given to `afterCommit`; hands what that throws to `onError`. */
  runAfterCommit(onError: (error: unknown) => void): void {
    for (const work of this.afterCommitCallbacks) {
      try {
        work();
      } catch (error) {
        onError(error);
      }
    }
  }

  /** What the first failing statement failed with: every later one only says that the transaction is over. */
  async failure(): Promise<Error | undefined> {
    const results = await Promise.allSettled(this.sent);
    return results.find((result) => result.status === 'rejected')?.reason as Error | undefined;
  }

  private send(last: pg.QueryConfig): Promise<pg.QueryResult>;
  private send(): void;
  private send(last?: pg.QueryConfig): Promise<pg.QueryResult> | undefined {
    const statements = last ? [...this.unsent, last] : this.unsent;
    this.unsent = [];
    if (statements.length === 0) return undefined;
    if (!this.packet) {
      this.packet = new Packet();
      // What else is asked for in this turn goes into the same packet.
      process.nextTick(() => this.flush());
    }
    const { packet } = this;
    return statements.map((each) => this.track(packet.add(this.configOf(each)))).at(-1);
  }

  private flush(): void {
    if (this.packet) void this.client.query(this.packet);
    this.packet = undefined;
  }

  private configOf(statement: pg.QueryConfig | RowWrite[]): pg.QueryConfig {
    if (!Array.isArray(statement)) return statement;
    const { text, values } = combined(statement);
    return prepared(text, values);
  }

  private track<T>(result: Promise<T>): Promise<T> {
    result.catch(() => undefined);
    this.sent.push(result);
    return result;
  }
}

/**
 * TypeORM's repository outside a transaction: every call is one statement that commits by itself. What takes several
 * (`save`, `remove`) would commit out of our sight: it has its place in `tx.repository`.
 */
export type AutocommitRepository<Entity extends ObjectLiteral> = Omit<
  Repository<Entity>,
  'save' | 'remove' | 'softRemove' | 'recover' | 'query' | 'manager' | 'queryRunner'
>;

/**
 * The PostgreSQL of the service: the one bounded pool of TypeORM's data source. READ COMMITTED; rows are locked
 * where it matters.
 */
export class Database implements Queryable {
  private readonly log = new Logger(Database.name);
  private readonly limitedLog = new LimitedLog(this.log);
  private ownReads: Reads | undefined;

  constructor(
    readonly source: DataSource,
    private readonly slots?: LimitFunction,
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
    // The pool repeats what its idle connections emit, and an error that nobody hears ends the process.
    this.pool.on('error', () => undefined).on('connect', (client) => client.on('error', onLost));
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
    return new Database(this.source, pLimit(max));
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
    const runner = this.source.createQueryRunner();
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
    let broken = false;
    try {
      const result = await Promise.race([run(), overdue]);
      tx.runAfterCommit((error) => this.log.error({ err: error }, 'an after-commit callback failed'));
      return result;
    } catch (error) {
      if (progress.committing && !isRolledBack(error)) {
        broken = true;
        this.log.error(`the outcome of a COMMIT is unknown: ${String(error)}`);
        throw outcomeUnknown();
      }
      const cause =
        error instanceof NotCommitted
          ? (error.cause ?? error)
          : isAborted(error)
            ? ((await tx.failure()) ?? error)
            : error;
      broken = await Promise.race([tx.end('ROLLBACK'), overdue]).then(
        () => false,
        () => true,
      );
      throw cause;
    } finally {
      clearTimeout(deadline);
      overdue.catch(() => undefined);
      // TypeORM takes a connection out of the pool only when that connection emits an error.
      if (broken && !runner.isReleased) client.emit('error', new Error('its transaction did not end'));
      await runner.release();
    }
  }

  /** Closes the connections, each once its work is done. The data source's own `destroy` would take them away. */
  async close(): Promise<void> {
    if (this.source.isInitialized) await this.pool.end();
  }
}
