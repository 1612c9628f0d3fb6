import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import { Logger } from '@nestjs/common';
import pLimit, { type LimitFunction } from 'p-limit';
import pg from 'pg';
import type { DataSource, EntityTarget, ObjectLiteral, QueryRunner, Repository } from 'typeorm';
import { AppError } from '../../kernel/errors.js';
import { LimitedLog } from '../observability/limited-log.js';
import { withoutRequestId } from '../observability/request-id.js';
import { poolOf, TRANSACTION_DEADLINE_MS } from './data-source.js';

const statementNames = new Map<string, string>();

/** Statements are prepared once per connection, under a name made from their text. */
function prepared(text: string, values: readonly unknown[]): pg.QueryConfig {
  let name = statementNames.get(text);
  if (!name) {
    name = createHash('sha256').update(text).digest('base64url').slice(0, 22);
    statementNames.set(text, name);
  }
  return { name, text, values: values as unknown[] };
}

/** Something SQL can be sent to: the pool, or one open transaction. */
export interface Queryable {
  /** Runs one fixed statement with its values; throws pg's DatabaseError. Never build `text` from input. */
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}

/**
 * One open transaction. Whoever holds it writes in it; it ends when the work given to `transaction` ends.
 *
 * Statements go to PostgreSQL in the order in which they are given. Those whose answer nobody needs are not waited
 * for: they travel together with the next one that is, at the latest with COMMIT, in one packet. So do queries that
 * are asked for in the same turn. A round trip costs more than most statements.
 */
export class Tx implements Queryable {
  private unsent: pg.QueryConfig[] = [{ text: 'BEGIN' }];
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
        return this.track(query(...args));
      }) as QueryRunner['query'];
    }
    return this.runner.manager.getRepository(entity);
  }

  /**
   * Has `work` done in this process once the transaction is committed: a nudge, lost when the process dies. Whoever
   * gives one has something durable that is found without it.
   */
  afterCommit(work: () => void): void {
    this.afterCommitCallbacks.push(work);
  }

  /** Sends what is waiting, and COMMIT or ROLLBACK behind it. */
  async end(how: 'COMMIT' | 'ROLLBACK'): Promise<void> {
    if (how === 'ROLLBACK') this.unsent = [];
    const { command } = await this.send({ text: how });
    if (command !== how) throw (await this.failure()) ?? new NotCommitted(`${how} was answered ${command}`);
    if (how === 'COMMIT') for (const nudge of this.afterCommitCallbacks) nudge();
  }

  /** What the first failing statement failed with: every later one only says that the transaction is over. */
  async failure(): Promise<Error | undefined> {
    const results = await Promise.allSettled(this.sent);
    return results.find((result) => result.status === 'rejected')?.reason as Error | undefined;
  }

  private send(last: pg.QueryConfig): Promise<pg.QueryResult>;
  private send(): void;
  private send(last?: pg.QueryConfig): Promise<pg.QueryResult> | undefined {
    const { stream } = (this.client as unknown as { connection: { stream: Socket } }).connection;
    stream.cork();
    const statements = last ? [...this.unsent, last] : this.unsent;
    const results = statements.map((statement) => this.track(this.client.query(statement)));
    // What else is asked for in this turn goes into the same packet.
    process.nextTick(() => stream.uncork());
    this.unsent = [];
    return results.at(-1);
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

  constructor(
    readonly source: DataSource,
    private readonly slots?: LimitFunction,
  ) {}

  /** Connects; throws what PostgreSQL or the network says when that can't be done. */
  async connect(): Promise<void> {
    await this.source.initialize();
    // A connection outlives the request that opened it, and a database that ends takes all of them with it.
    const onLost = (error: Error): void => {
      withoutRequestId(() => this.limitedLog.warn(`connection lost: ${error.message}`));
    };
    // The pool repeats what its idle connections emit, and an error that nobody hears ends the process.
    this.pool.on('error', () => undefined).on('connect', (client) => client.on('error', onLost));
  }

  /** The pool itself, for libraries that bring their own statements. */
  get pool(): pg.Pool {
    return poolOf(this.source);
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
    const run = () => this.pool.query(prepared(text, values));
    return (await (this.slots ? this.slots(run) : run())).rows as Row[];
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
    const client = (await runner.connect()) as pg.PoolClient;
    const progress = { committing: false, syncReplicationCanceled: false };
    const onNotice = ({ message }: { message?: string | undefined }): void => {
      if (message?.includes('synchronous replication')) progress.syncReplicationCanceled = true;
    };
    client.on('notice', onNotice);
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
      if (progress.syncReplicationCanceled)
        throw new Error('the wait for the synchronous standby was given up');
      return result;
    };
    let broken = false;
    try {
      return await Promise.race([run(), overdue]);
    } catch (error) {
      const cause = isAborted(error) ? ((await tx.failure()) ?? error) : error;
      if (progress.committing && !isRolledBack(cause)) {
        broken = true;
        this.log.error(`the fate of a COMMIT is unknown: ${String(cause)}`);
        throw outcomeUnknown();
      }
      broken = await Promise.race([tx.end('ROLLBACK'), overdue]).then(
        () => false,
        () => true,
      );
      throw cause;
    } finally {
      clearTimeout(deadline);
      overdue.catch(() => undefined);
      client.off('notice', onNotice);
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

/** The statement failed only because an earlier one, which nobody waited for, had failed. */
function isAborted(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '25P02';
}

/** PostgreSQL said that it rolled back what it was told to commit. */
class NotCommitted extends Error {}

/** PostgreSQL itself reported an error at COMMIT (a deferred constraint, say): then nothing was committed. */
function isRolledBack(error: unknown): boolean {
  if (error instanceof NotCommitted) return true;
  return error instanceof pg.DatabaseError && !/^(08|57P|58|XX)/.test(error.code ?? '08');
}

/** Nobody knows whether it was committed: the client must ask again with the same key. */
export function outcomeUnknown(): AppError {
  return new AppError(
    'OUTCOME_UNKNOWN',
    'It is not known whether this was carried out. Send the same request again with the same Idempotency-Key.',
    { retryAfterSeconds: 2 },
  );
}

/** Whether `error` is PostgreSQL's refusal to break the constraint or unique index called `name`. */
export function violates(error: unknown, name: string): boolean {
  return error instanceof pg.DatabaseError && error.constraint === name;
}

/** Whether `error` says that the database could not be reached or had no time, rather than that the work was wrong. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return /^(08|53|55P03|57P)/.test(error.code ?? '');
  if (!Error.isError(error)) return false;
  const { code } = error as NodeJS.ErrnoException;
  return /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND)/.test(code ?? '') || UNREACHABLE.test(error.message);
}

const UNREACHABLE =
  /Connection terminated|timeout exceeded when trying to connect|transaction took more than|not queryable/;
