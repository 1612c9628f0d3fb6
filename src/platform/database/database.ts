import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';
import { AppError } from '../../kernel/errors.js';

/** How long a statement may wait for a row that another transaction holds, in milliseconds. */
export const LOCK_TIMEOUT_MS = 5_000;
/** How long one transaction may take, its COMMIT included, in milliseconds. */
export const TRANSACTION_DEADLINE_MS = 15_000;

const INT8_OID: number = pg.types.builtins.INT8;
const parserOf = pg.types.getTypeParser as (
  oid: number,
  format?: 'text' | 'binary',
) => (value: string) => unknown;

/** `bigint` columns arrive as numbers; one that a number can't hold exactly is an error, never rounded. */
function exactInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`bigint ${text} does not fit a number exactly`);
  return value;
}

/** Settings of every connection to PostgreSQL that the service makes. */
export function poolConfig(url: string, max: number): pg.PoolConfig {
  return {
    connectionString: url,
    max,
    connectionTimeoutMillis: 5_000,
    lock_timeout: LOCK_TIMEOUT_MS,
    idle_in_transaction_session_timeout: 2 * TRANSACTION_DEADLINE_MS,
    keepAlive: true,
    // Statements follow each other on the wire without waiting for the answer before: see Tx.
    pipeline: true,
    // Statements are planned once, perhaps while their tables are still empty. Every one of them is meant to seek
    // in an index, so that it costs the same when the tables are full; no values make another plan better.
    options:
      '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_bitmapscan=off -c jit=off',
    application_name: 'agent-payment-wallet',
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === INT8_OID ? exactInteger : parserOf(oid, format),
    },
  };
}

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

  constructor(private readonly client: pg.PoolClient) {}

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
    if (command !== how) throw (await this.failure()) ?? new Error(`${how} was answered ${command}`);
    if (how === 'COMMIT') for (const nudge of this.afterCommitCallbacks) nudge();
  }

  /** What the first failing statement failed with: every later one only says that the transaction is over. */
  async failure(): Promise<Error | undefined> {
    const results = await Promise.allSettled(this.sent);
    return results.find((result) => result.status === 'rejected')?.reason as Error | undefined;
  }

  private send(last: pg.QueryConfig): Promise<pg.QueryResult> {
    const { stream } = (this.client as unknown as { connection: { stream: Socket } }).connection;
    stream.cork();
    const results = [...this.unsent, last].map((statement) => this.client.query(statement));
    // What else is asked for in this turn goes into the same packet.
    process.nextTick(() => stream.uncork());
    this.unsent = [];
    for (const result of results) result.catch(() => undefined);
    this.sent.push(...results);
    return results.at(-1) as Promise<pg.QueryResult>;
  }
}

/** The PostgreSQL of the service: one bounded pool. READ COMMITTED; rows are locked where it matters. */
export class Database implements Queryable, OnApplicationShutdown {
  private readonly log = new Logger(Database.name);
  readonly pool: pg.Pool;

  constructor(
    private readonly url: string,
    max = 20,
  ) {
    this.pool = new pg.Pool(poolConfig(url, max));
    const onLost = (error: Error): void => {
      this.log.warn(`connection lost: ${error.message}`);
    };
    this.pool.on('error', onLost).on('connect', (client) => client.on('error', onLost));
  }

  /** A few more connections to the same database, for work that is to wait for no other, nor to hold it up. */
  dedicatedPool(max: number): Database {
    return new Database(this.url, max);
  }

  async query<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await this.pool.query(prepared(text, values))).rows as Row[];
  }

  /**
   * Runs `work` in one transaction and commits it; all-or-nothing.
   *
   * Throws what `work` throws, after a rollback. Throws the refusal `OUTCOME_UNKNOWN` when COMMIT was sent and
   * no clear answer came back: the connection failed, the deadline passed, or PostgreSQL reports that the wait
   * for the synchronous standby was given up. No cancel is ever sent; the connection is dropped instead.
   */
  async transaction<T>(work: (tx: Tx) => Promise<T> | T, deadlineMs = TRANSACTION_DEADLINE_MS): Promise<T> {
    const client = await this.pool.connect();
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
    const tx = new Tx(client);
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
      if (progress.committing && !isRolledBackByServer(cause)) {
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
      client.release(broken);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }
}

/** The statement failed only because an earlier one, which nobody waited for, had failed. */
function isAborted(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '25P02';
}

/** PostgreSQL itself reported an error at COMMIT (a deferred constraint, say): then nothing was committed. */
function isRolledBackByServer(error: unknown): boolean {
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
  if (!(error instanceof Error)) return false;
  const { code } = error as NodeJS.ErrnoException;
  return /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND)/.test(code ?? '') || UNREACHABLE.test(error.message);
}

const UNREACHABLE =
  /Connection terminated|timeout exceeded when trying to connect|transaction took more than|not queryable/;
