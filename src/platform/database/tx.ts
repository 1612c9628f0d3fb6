import type pg from 'pg';
import type { EntityTarget, ObjectLiteral, QueryRunner, Repository } from 'typeorm';
import { NotCommitted } from './failures.js';
import { Packet } from './packet.js';
import { prepared } from './prepared.js';
import { combined, type RowStatement, type RowWrite, rowWrite } from './row-statement.js';

/** Something SQL can be sent to: the pool, or one open transaction. */
export interface Queryable {
  /** Runs one fixed statement with its values; throws pg's DatabaseError. Never build `text` from input. */
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}

/** Stands for a statement that is not awaited, unless it fails: a promise for each would cost more than sending it. */
const NOT_FAILED: Promise<unknown> = Promise.resolve();

/** Prepared too: PostgreSQL then reads them once a connection. */
const named = (text: string): pg.QueryConfig => ({ name: text, text });

/**
 * One open transaction, for all code that is to write in it; it ends when the work given to `transaction` ends.
 *
 * Statements go to PostgreSQL in the order in which they are given. Those whose answer is not needed are not waited
 * for: they travel together with the next one that is, at the latest with COMMIT, in one packet. So do queries that
 * are asked for in the same turn. A round trip costs more than most statements.
 */
export class Tx implements Queryable {
  private unsent: (pg.QueryConfig | RowWrite[])[] = [named('BEGIN')];
  /** What goes out at the end of this turn. */
  private packet: Packet | undefined;
  /** What came of each statement, in their order. */
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
  writeRows<Row>(statement: RowStatement<Row>, rows: readonly Row[]): void {
    if (rows.length === 0) return;
    const write = rowWrite(statement, rows);
    const last = this.unsent.at(-1);
    if (Array.isArray(last) && !last.some((other) => other.statement.table === statement.table)) {
      last.push(write);
    } else this.unsent.push([write]);
  }

  /**
   * Sends what was given so far, and waits for nothing: PostgreSQL carries it out while more is put together. It suits much
   * to write; little goes sooner as one packet with the rest.
   */
  sendAhead(): void {
    this.send();
    this.flush();
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

  /** Whether repositories have bound the query runner to this transaction: it must not be reused. */
  get hasBoundRunner(): boolean {
    return this.hasRepositories;
  }

  /**
   * Has `work` done in this process once the transaction is committed: to wake a worker of durable work. It is lost
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
    const { unsent } = this;
    this.unsent = [];
    if (unsent.length === 0 && !last) return undefined;
    if (!this.packet) {
      this.packet = new Packet();
      // What else is asked for in this turn goes into the same packet.
      process.nextTick(() => this.flush());
    }
    const { packet } = this;
    for (const statement of unsent) {
      const at = this.sent.push(NOT_FAILED) - 1;
      packet.write(this.configOf(statement), (error) => {
        this.sent[at] = failed(error);
      });
    }
    return last && this.track(packet.add(last));
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

function failed(error: Error): Promise<unknown> {
  const failure = Promise.reject(error);
  failure.catch(() => undefined);
  return failure;
}
