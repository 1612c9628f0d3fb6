import pg from 'pg';
import { AppError } from '../../kernel/errors.js';

/** PostgreSQL answered COMMIT with ROLLBACK: nothing was committed, because of `cause` where it is known. */
export class NotCommitted extends Error {}

/** The statement failed only because an earlier one, whose answer was not waited for, had failed. */
export function isAborted(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '25P02';
}

/**
 * Whether `error`, of a COMMIT or of a statement that commits by itself, says that nothing was committed. A broken
 * connection doesn't, and neither does a server that is going down: both may come after the commit.
 */
export function isRolledBack(error: unknown): boolean {
  if (error instanceof NotCommitted) return true;
  if (error instanceof pg.DatabaseError)
    return error.code === IDLE_IN_TRANSACTION || !/^(08|57P|58|XX)/.test(error.code ?? '08');
  return Error.isError(error) && NOT_SENT.test(error.message);
}

/** The session was ended while it waited for the next statement of its transaction: it never saw a COMMIT. */
const IDLE_IN_TRANSACTION = '57P05';
/** The driver knew that the connection was lost before it would have sent the statement. */
const NOT_SENT = /is not queryable$/;

/**
 * Whether PostgreSQL tells that it committed without waiting for the synchronous standby: a failover may undo it.
 * The text of the notice is in the language of `lc_messages`; the routine that sends it is not.
 */
export function isStandbyWaitCanceled(notice: { readonly routine?: string | undefined }): boolean {
  return notice.routine === 'SyncRepWaitForLSN';
}

/** Whether a statement may change something. In doubt it may. */
export function mayWrite(statement: string): boolean {
  return (
    !/^\s*(SELECT|WITH|VALUES|SHOW)\b/i.test(statement) || /\b(INSERT|UPDATE|DELETE|MERGE)\b/i.test(statement)
  );
}

/** It is not known whether it was committed: the client must ask again with the same key, or look where there is none. */
export function outcomeUnknown(): AppError {
  return new AppError(
    'OUTCOME_UNKNOWN',
    'It is not known whether this was carried out. Send the same request again with the same Idempotency-Key; ' +
      'if the route takes none, look first what there is.',
    { retryAfterSeconds: 2 },
  );
}

/** Whether `error` is PostgreSQL's refusal to break the constraint or unique index called `name`. */
export function violates(error: unknown, name: string): boolean {
  return error instanceof pg.DatabaseError && error.constraint === name;
}

/** Whether `error` says that the database could not be reached or had no time, rather than that the work was wrong. */
export function isUnavailable(error: unknown): boolean {
  if (isUnreachable(error)) return true;
  // 57014: canceled by a statement_timeout of the database's own, or by an operator.
  if (error instanceof pg.DatabaseError) return /^(53|55P03|57014)/.test(error.code ?? '');
  return Error.isError(error) && NO_TIME.test(error.message);
}

/** Whether the database has no room on its disk for what was to be written. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '53100';
}

/** Whether the connection leads to a database that takes no changes: a standby, as a failover leaves it behind. */
export function isReadOnly(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '25006';
}

/**
 * Whether the connection has prepared the statement for columns of another type, which the next release has changed since:
 * it would refuse it for as long as it lives. Nothing was carried out.
 */
function isOutdated(error: unknown): boolean {
  return (
    error instanceof pg.DatabaseError && error.code === '0A000' && error.routine === 'RevalidateCachedQuery'
  );
}

/** Whether the next connection may do what this one refused, though this one lives. */
export function isBroken(error: unknown): boolean {
  return isReadOnly(error) || isOutdated(error);
}

/** Whether `error` says that there is no connection to the database, none any more, or one that is of no use. */
export function isUnreachable(error: unknown): boolean {
  if (isBroken(error)) return true;
  if (error instanceof pg.DatabaseError) return /^(08|57P)/.test(error.code ?? '');
  if (!Error.isError(error)) return false;
  const { code } = error as NodeJS.ErrnoException;
  return (
    /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|EAI_AGAIN)/.test(code ?? '') ||
    NO_CONNECTION.test(error.message)
  );
}

/** Whether a time limit on an answer or a connection of the database ran out: whoever asks now would wait as long in vain. */
export function isTimedOut(error: unknown): boolean {
  return Error.isError(error) && TIMED_OUT.test(error.message);
}

const TIMED_OUT = /sent nothing for|timeout exceeded when trying to connect|due to connection timeout/;
const NO_TIME = /timeout exceeded when trying to connect|transaction took more than/;
// TypeORM releases its query runner when the connection is lost between two statements.
const NO_CONNECTION = /Connection terminated|not queryable|Client was closed|Query runner already released/;
