import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  HttpException,
  Logger,
  NotFoundException,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isUnavailable } from '../../database/failures.js';
import { databaseRefusal } from '../../database/unavailable.js';
import {
  AppError,
  BLOCK_REASONS,
  type BlockReason,
  type ErrorCode,
  validationError,
} from '../../../kernel/errors.js';
import { LimitedLog } from '../../observability/limited-log.js';
import { notJson } from '../server/json-body.js';
import { routePath } from '../server/route-path.js';
import { allowedMethods } from '../server/routes.js';
import { answersAt, type Envelope, type ErrorAnswers } from './answers.js';

/** A block is 403 unless it is listed below. */
const OF_BLOCKS = Object.fromEntries(BLOCK_REASONS.map((reason) => [reason, 403])) as Record<
  BlockReason,
  number
>;

/** A code without a status does not compile. */
const STATUS: Record<ErrorCode, number> = {
  ...OF_BLOCKS,
  VALIDATION_ERROR: 400,
  EXPIRY_IN_PAST: 400,
  ALLOWLIST_REQUIRED: 400,
  PERIOD_LIMIT_TOO_LOW: 400,
  INVALID_RESET_TOKEN: 400,
  INVALID_PASSKEY: 400,
  UNAUTHORIZED: 401,
  INVALID_CREDENTIALS: 401,
  MISSING_API_KEY: 401,
  INVALID_API_KEY: 401,
  INVALID_SIGNATURE: 401,
  INSUFFICIENT_FUNDS: 402,
  FORBIDDEN: 403,
  WRONG_PASSWORD: 403,
  TWO_FACTOR_REQUIRED: 403,
  INVALID_TWO_FACTOR_CODE: 403,
  TWO_FACTOR_DEMANDED: 403,
  WALLET_NOT_FOUND: 404,
  USER_NOT_FOUND: 404,
  MEMBER_NOT_FOUND: 404,
  INVITATION_NOT_FOUND: 404,
  SESSION_NOT_FOUND: 404,
  PUSH_SUBSCRIPTION_NOT_FOUND: 404,
  PASSKEY_NOT_FOUND: 404,
  TRANSACTION_NOT_FOUND: 404,
  STATEMENT_NOT_FOUND: 404,
  NOTE_NOT_FOUND: 404,
  NOTE_LIMIT_REACHED: 409,
  FILE_NOT_FOUND: 404,
  FILE_LIMIT_REACHED: 409,
  FILE_STORAGE_FULL: 409,
  WITHDRAWAL_NOT_FOUND: 404,
  KEY_NOT_FOUND: 404,
  APPROVAL_NOT_FOUND: 404,
  PAYEE_NOT_FOUND: 404,
  ACCOUNT_NOT_FOUND: 404,
  WEBHOOK_ENDPOINT_NOT_FOUND: 404,
  WEBHOOK_DELIVERY_NOT_FOUND: 404,
  BAD_REQUEST: 400,
  REQUEST_TIMEOUT: 408,
  HEADERS_TOO_LARGE: 431,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  EMAIL_ALREADY_REGISTERED: 409,
  POSSIBLE_DUPLICATE: 409,
  TWO_FACTOR_ALREADY_ENABLED: 409,
  TWO_FACTOR_NOT_ENABLED: 409,
  PASSKEY_LIMIT_REACHED: 409,
  WALLET_LIMIT_REACHED: 409,
  OPERATOR_SUBJECT_NOT_FOUND: 404,
  OPERATOR_ACT_REFUSED: 409,
  VERSION_CONFLICT: 409,
  ALREADY_MEMBER: 409,
  MEMBER_LIMIT_REACHED: 409,
  LAST_OWNER: 409,
  BUSINESS_REQUIRED: 409,
  ACCOUNT_NOT_EMPTY: 409,
  WALLET_CLOSED: 409,
  KEY_LIMIT_REACHED: 409,
  APPROVAL_ALREADY_DECIDED: 409,
  REQUESTER_CANNOT_APPROVE: 403,
  PAYEE_LIMIT_REACHED: 409,
  WALLET_NOT_EMPTY: 409,
  WEBHOOK_ENDPOINT_DISABLED: 409,
  WEBHOOK_LIMIT_REACHED: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  IDEMPOTENCY_KEY_REUSED: 422,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  OVERLOADED: 503,
  DATABASE_UNAVAILABLE: 503,
  OUTCOME_UNKNOWN: 503,
  SHUTTING_DOWN: 503,
  BANK_UNAVAILABLE: 503,
  MAIL_UNAVAILABLE: 503,
};

const NO_OAUTH =
  "This server has no OAuth: it takes a wallet's API key, as Authorization: Bearer <key>. The key that was sent, if any, " +
  "is unknown, expired or revoked. The wallet's owner makes keys.";

/** See decisions, "Errors". */
const ENVELOPES: Record<Envelope, (refusal: AppError) => object> = {
  error: ({ code, message, detail: { fields } }) => ({
    error: { code, message, ...(fields && { errors: fields }) },
  }),
  status: ({ code, message, detail }) =>
    STATUS[code] === 400
      ? {
          status: 'error',
          errors: (detail.fields ?? [{ field: code === 'BAD_REQUEST' ? 'request' : 'body', message }]).map(
            ({ field, message: why }) => ({ code, path: field, message: why }),
          ),
        }
      : { status: 'error', code, message },
  success: ({ code, message, detail: { fields, transactionId, details, advice, replayed } }) => ({
    success: false,
    message,
    code,
    ...(replayed && { replayed }),
    ...(fields && { errors: fields }),
    ...(transactionId && { transactionId }),
    ...(details && { details }),
    ...advice,
  }),
  'json-rpc': ({ code, message }) => ({
    jsonrpc: '2.0',
    id: null,
    error: { code: jsonRpcCode(code), message, data: { code } },
  }),
  oauth: () => ({ error: 'invalid_request', error_description: NO_OAUTH }),
};

function jsonRpcCode(code: ErrorCode): number {
  if (code === 'VALIDATION_ERROR') return -32_700;
  return STATUS[code] < 500 ? -32_600 : -32_603;
}

export const statusOf = (code: ErrorCode, { status }: ErrorAnswers): number => status?.[code] ?? STATUS[code];

export const envelopeOf = (refusal: AppError, { envelope = 'error' }: ErrorAnswers): object =>
  ENVELOPES[envelope](refusal);

const log = new Logger('http');
const limitedLog = new LimitedLog(log);

function notFound(): AppError {
  return new AppError('NOT_FOUND', 'There is nothing at this address; /docs lists what there is.');
}

function noRouteFor(request: FastifyRequest): AppError {
  const allowed = allowedMethods(request.server, routePath(request.url));
  return allowed.length > 0
    ? new AppError('METHOD_NOT_ALLOWED', `This address takes ${allowed.join(', ')}.`)
    : notFound();
}

function refusalFor(error: unknown, request: FastifyRequest): AppError {
  if (error instanceof NotFoundException) return noRouteFor(request);
  const refusal = toRefusal(error, request);
  // An unknown address precedes problems of the body.
  return request.is404 && isOfBody(refusal) ? noRouteFor(request) : refusal;
}

/** True unless only its size is wrong. */
function isOfBody({ code, detail }: AppError): boolean {
  return (
    code === 'UNSUPPORTED_MEDIA_TYPE' || (code === 'VALIDATION_ERROR' && detail.fields?.[0]?.field === 'body')
  );
}

function toRefusal(error: unknown, request: FastifyRequest): AppError {
  if (error instanceof AppError) return error;
  const { code, statusCode } = error as { code?: string; statusCode?: number };
  if (code === 'FST_ERR_BAD_URL') {
    return validationError({ field: 'path', message: 'is not validly percent-encoded' });
  }
  // Nest keeps only the status of Fastify's errors.
  const status = error instanceof HttpException ? error.getStatus() : statusCode;
  if (status === 413) {
    return new AppError('PAYLOAD_TOO_LARGE', 'The body may have at most 64 KiB.');
  }
  if (status === 415) {
    return notJson();
  }
  if (error instanceof SyntaxError || status === 400) {
    return validationError({ field: 'body', message: 'malformed JSON' });
  }
  // A forbidden file is answered as missing.
  if (status === 403 || status === 404) return notFound();
  if (status !== undefined && status >= 400 && status < 500) {
    return new AppError('BAD_REQUEST', 'The request can not be read.');
  }
  if (isUnavailable(error)) {
    limitedLog.error(error, 'the database is unavailable');
    return databaseRefusal(error);
  }
  if (!limitedLog.error(error, 'unexpected error')) {
    log.error({ requestId: request.id }, `unexpected error: ${String(error)}`);
  }
  return new AppError('INTERNAL_ERROR', `Something went wrong on our side (request ${request.id}).`);
}

/** Names the header of an invalid key. */
function naming({ headers }: FastifyRequest, refusal: AppError): AppError {
  if (refusal.code !== 'INVALID_API_KEY') return refusal;
  const header = headers['x-api-key'] ? 'x-api-key' : 'Authorization';
  return new AppError(refusal.code, `The API key in the header ${header} is unknown, expired or revoked.`);
}

export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const refusal = naming(request, refusalFor(error, request));
  if (request.notes) request.notes.code = refusal.code;
  const path = routePath(request.url);
  if (refusal.code === 'METHOD_NOT_ALLOWED') {
    void reply.header('allow', allowedMethods(request.server, path).join(', '));
  }
  if (refusal.code === 'UNAUTHORIZED') void reply.header('www-authenticate', 'Bearer');
  if (refusal.detail.retryAfterSeconds !== undefined) {
    void reply.header('retry-after', String(refusal.detail.retryAfterSeconds));
  }
  const answers = answersAt(path);
  void reply.status(statusOf(refusal.code, answers)).send(envelopeOf(refusal, answers));
}

@Catch()
export class ErrorEnvelopeFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    answerError(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }
}
