import type pg from 'pg';
import { QueryFailedError, type QueryRunner } from 'typeorm';
import { AppError } from '../../kernel/errors.js';
import type { Connection } from './connection.js';
import { isRolledBack, mayWrite, outcomeUnknown } from './failures.js';

function aroundQuery(
  runner: QueryRunner,
  around: (run: () => Promise<unknown>, text: string) => Promise<unknown>,
): void {
  const query = runner.query.bind(runner) as (...args: unknown[]) => Promise<unknown>;
  runner.query = ((...args: [string, ...unknown[]]) =>
    around(() => query(...args), args[0])) as QueryRunner['query'];
}

/**
 * Makes the runner throw PostgreSQL's own errors (a QueryFailedError logs password hashes), and
 * `OUTCOME_UNKNOWN` for a write without a clear answer.
 */
export function throwPostgresErrors(runner: QueryRunner): QueryRunner {
  aroundQuery(runner, async (run, text) => {
    const client = (await runner.connect()) as Connection;
    try {
      const result = await run();
      if (!runner.isTransactionActive && client.takeStandbyWaitCanceled()) throw outcomeUnknown();
      return result;
    } catch (error) {
      const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
      const isKnown = cause instanceof AppError || isRolledBack(cause) || runner.isTransactionActive;
      throw isKnown || !mayWrite(text) ? cause : outcomeUnknown();
    }
  });
  return runner;
}

/** Runs the runner's statements inside a transaction begun elsewhere; `save` and `remove` would else COMMIT it. */
export function joinTransaction(
  runner: QueryRunner,
  send: (run: () => Promise<unknown>) => Promise<unknown>,
): void {
  Object.assign(runner, { isTransactionActive: true, transactionDepth: 1 });
  aroundQuery(runner, send);
}

export interface ReadBounds {
  readonly enter: () => Promise<() => void>;
  /** Sent ahead of the first statement. */
  readonly begin: string;
  /** Given each statement. */
  readonly around: (run: () => Promise<unknown>) => Promise<unknown>;
}

/** Runs the runner's statements in one transaction that takes a place until the runner is released. */
export function boundReads(runner: QueryRunner, { enter, begin, around }: ReadBounds): QueryRunner {
  const connect = runner.connect.bind(runner) as () => Promise<pg.PoolClient>;
  const release = runner.release.bind(runner);
  let opening: Promise<pg.PoolClient> | undefined;
  let leave: (() => void) | undefined;
  const open = async (): Promise<pg.PoolClient> => {
    leave = await enter();
    const client = await connect();
    client.query(begin).catch(() => undefined);
    return client;
  };
  runner.connect = () => (opening ??= open());
  aroundQuery(runner, around);
  runner.release = async () => {
    const client = await opening?.catch(() => undefined);
    if (!runner.isReleased) client?.query('COMMIT').catch(() => undefined);
    await release();
    leave?.();
    leave = undefined;
  };
  return runner;
}
