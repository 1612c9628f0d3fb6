import pg from 'pg';
import { AppError } from '../../kernel/errors.js';
import { overloaded } from '../batching/group-commit.js';

/**
 * The refusal for an error for which `isUnavailable` holds: `OVERLOADED` where the database is there and has too much
 * to do, else `DATABASE_UNAVAILABLE`.
 */
export function databaseRefusal(error: unknown): AppError {
  const isBusy =
    error instanceof pg.DatabaseError
      ? /^(53|55P03)/.test(error.code ?? '')
      : // What the pool says when all its connections are taken.
        /timeout exceeded when trying to connect|transaction took more than/.test(String(error));
  if (isBusy) return overloaded();
  return databaseUnavailable('Nothing was carried out: the database can not be reached. Try again shortly.');
}

/** The refusal of a service that is without its database. */
export function databaseUnavailable(message: string): AppError {
  return new AppError('DATABASE_UNAVAILABLE', message, { retryAfterSeconds: 1 });
}
