import pg from 'pg';
import { AppError } from '../../kernel/errors.js';

/** COMMIT was answered with ROLLBACK: nothing was committed. */
export class NotCommitted extends Error {}

/** Failed only because an earlier statement had. */
export function isAborted(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '25P02';
}

/** True if the error proves that nothing was committed. A broken connection or a stopping server does not. */
export function isRolledBack(error: unknown): boolean {
  if (error instanceof NotCommitted) return true;
  if (error instanceof pg.DatabaseError)
    return error.code === IDLE_IN_TRANSACTION || !/^(08|57P|58|XX)/.test(error.code ?? '08');
  return Error.isError(error) && NOT_SENT.test(error.message);
}

/** Ended while idle in a transaction: it never saw COMMIT. */
const IDLE_IN_TRANSACTION = '57P05';
/** The connection was lost before sending. */
const NOT_SENT = /is not queryable$/;

/** Committed without the standby: a failover may undo it. Matched by routine, as the text is localised. */
export function isStandbyWaitCanceled(notice: { readonly routine?: string | undefined }): boolean {
  return notice.routine === 'SyncRepWaitForLSN';
}

/** In doubt, true. */
export function mayWrite(statement: string): boolean {
  return (
    !/^\s*(SELECT|WITH|VALUES|SHOW)\b/i.test(statement) || /\b(INSERT|UPDATE|DELETE|MERGE)\b/i.test(statement)
  );
}

/** Unknown whether it was committed: the client asks again with the same key. */
export function outcomeUnknown(): AppError {
  return new AppError(
    'OUTCOME_UNKNOWN',
    'It is not known whether this was carried out. Send the same request again with the same Idempotency-Key; ' +
      'if the route takes none, look first what there is.',
    { retryAfterSeconds: 2 },
  );
}

export function violates(error: unknown, name: string): boolean {
  return error instanceof pg.DatabaseError && error.constraint === name;
}

export function isUnavailable(error: unknown): boolean {
  if (isUnreachable(error)) return true;
  // 57014: a statement_timeout or an operator.
  if (error instanceof pg.DatabaseError) return /^(53|55P03|57014)/.test(error.code ?? '');
  return Error.isError(error) && NO_TIME.test(error.message);
}

export function isDiskFull(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '53100';
}

export function isReadOnly(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '25006';
}

/** The prepared statement's columns changed in a newer release; nothing was carried out. */
function isOutdated(error: unknown): boolean {
  return (
    error instanceof pg.DatabaseError && error.code === '0A000' && error.routine === 'RevalidateCachedQuery'
  );
}

export function isBroken(error: unknown): boolean {
  return isReadOnly(error) || isOutdated(error);
}

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

export function isTimedOut(error: unknown): boolean {
  return Error.isError(error) && TIMED_OUT.test(error.message);
}

const TIMED_OUT = /sent nothing for|timeout exceeded when trying to connect|due to connection timeout/;
const NO_TIME = /timeout exceeded when trying to connect|transaction took more than/;
// TypeORM's runner after a lost connection.
const NO_CONNECTION = /Connection terminated|not queryable|Client was closed|Query runner already released/;
