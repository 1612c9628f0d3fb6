import type pg from 'pg';
import type { EntityTarget, ObjectLiteral, QueryRunner, Repository } from 'typeorm';
import { NotCommitted } from './failures.js';
import { prepared } from './prepared.js';
import { joinTransaction } from './query-runners.js';
import { combined, type RowStatement, type RowWrite, rowWrite } from './row-statement.js';
import type { Sent, Wire } from './wire/wire.js';

export interface Queryable {
  /** Throws pg's DatabaseError. Never build `text` from input. */
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}

const NOT_FAILED: Promise<unknown> = Promise.resolve();

const named = (text: string): pg.QueryConfig => ({ name: text, text });

/**
 * One open transaction. Statements run in order. Those without a needed result travel with the next awaited
 * one, at the latest with COMMIT.
 */
export class Tx implements Queryable {
  private unsent: (pg.QueryConfig | RowWrite[])[] = [named('BEGIN')];
  /** Statements of this turn. */
  private turn: Sent[] = [];
  private readonly sent: Promise<unknown>[] = [];
  private readonly afterCommitCallbacks: (() => void)[] = [];
  private hasRepositories = false;

  constructor(
    private readonly client: pg.PoolClient,
    private readonly runner: QueryRunner,
    private readonly wire: Wire,
  ) {}

  async query<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await this.send(prepared(text, values))).rows as Row[];
  }

  /**
   * Adds a statement without a result. If it fails, nothing is committed and `transaction` throws its error.
   */
  write(text: string, values: readonly unknown[] = []): void {
    this.unsent.push(prepared(text, values));
  }

  /** As {@link write}, for rows. Writes of different tables travel as one statement. */
  writeRows<Row>(statement: RowStatement<Row>, rows: readonly Row[]): void {
    if (rows.length === 0) return;
    const write = rowWrite(statement, rows);
    const last = this.unsent.at(-1);
    if (Array.isArray(last) && !last.some((other) => other.statement.table === statement.table)) {
      last.push(write);
    } else this.unsent.push([write]);
  }

  /**
   * TypeORM's repository in this transaction; earlier statements are sent first. Await each call to keep the
   * order.
   */
  repository<Entity extends ObjectLiteral>(entity: EntityTarget<Entity>): Repository<Entity> {
    if (!this.hasRepositories) {
      this.hasRepositories = true;
      joinTransaction(this.runner, (run) => {
        this.send();
        this.flush();
        return this.track(this.wire.sent(this.client).then(run));
      });
    }
    return this.runner.manager.getRepository(entity);
  }

  /** True: the query runner must not be reused. */
  get hasBoundRunner(): boolean {
    return this.hasRepositories;
  }

  /**
   * Runs `work` in this process after the commit, for wake-ups only: it is lost in a crash, and errors are
   * logged.
   */
  afterCommit(work: () => void): void {
    this.afterCommitCallbacks.push(work);
  }

  async end(how: 'COMMIT' | 'ROLLBACK'): Promise<void> {
    if (how === 'ROLLBACK') this.unsent = [];
    const { command } = await this.send(named(how));
    if (command === how) return;
    throw new NotCommitted(`${how} was answered ${command}`, { cause: await this.failure() });
  }

  runAfterCommit(onError: (error: unknown) => void): void {
    for (const work of this.afterCommitCallbacks) {
      try {
        work();
      } catch (error) {
        onError(error);
      }
    }
  }

  /** The first failure: later ones only say that the transaction is over. */
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
    // Statements of one turn share a packet.
    if (this.turn.length === 0) process.nextTick(() => this.flush());
    for (const statement of unsent) {
      const at = this.sent.push(NOT_FAILED) - 1;
      this.turn.push({
        statement: this.configOf(statement),
        onAnswer: (error) => {
          if (error) this.sent[at] = failed(error);
        },
      });
    }
    return last && this.track(this.answerOf(last));
  }

  private answerOf(statement: pg.QueryConfig): Promise<pg.QueryResult> {
    return new Promise<pg.QueryResult>((resolve, reject) => {
      this.turn.push({
        statement,
        onAnswer: (error, result) => {
          if (error) reject(error);
          else resolve(result as pg.QueryResult);
        },
      });
    }).catch((error: unknown) => {
      // Replaces the driver's stack, which starts at the socket.
      if (Error.isError(error)) Error.captureStackTrace(error);
      throw error;
    });
  }

  private flush(): void {
    if (this.turn.length > 0) this.wire.send(this.client, this.turn);
    this.turn = [];
  }

  private configOf(statement: pg.QueryConfig | RowWrite[]): pg.QueryConfig {
    if (!Array.isArray(statement)) return statement;
    const { text, values } = combined(statement, this.wire);
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
