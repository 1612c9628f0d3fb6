import { AppError } from '../../kernel/errors.js';
import { overloaded } from '../batching/group-commit.js';
import { isDiskFull, isReadOnly, isUnreachable } from './failures.js';

export function databaseRefusal(error: unknown): AppError {
  if (isDiskFull(error) || isReadOnly(error))
    return databaseUnavailable(
      'Nothing was carried out: the database takes no changes now. Try again shortly.',
    );
  if (!isUnreachable(error)) return overloaded();
  return databaseUnavailable('Nothing was carried out: the database can not be reached. Try again shortly.');
}

export function databaseUnavailable(message: string): AppError {
  return new AppError('DATABASE_UNAVAILABLE', message, { retryAfterSeconds: 1 });
}
