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
import { type ErrorCode, validationError, AppError } from '../../../kernel/errors.js';
import { LimitedLog } from '../../observability/limited-log.js';
import { notJson } from '../server/json-body.js';
import { routePath } from '../server/route-path.js';
import { allowedMethods } from '../server/routes.js';

/** The HTTP status of each code; a code without one does not compile. */
const STATUS: Record<ErrorCode, number> = {
  VALIDATION_ERROR: 400,
  EXPIRY_IN_PAST: 400,
  ALLOWLIST_REQUIRED: 400,
  PERIOD_LIMIT_TOO_LOW: 400,
  INVALID_RESET_TOKEN: 400,
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
  WALLET_INACTIVE: 403,
  WALLET_EXPIRED: 403,
  SPEND_LIMIT_PER_TX_EXCEEDED: 403,
  SPEND_LIMIT_PER_PERIOD_EXCEEDED: 403,
  MERCHANT_NOT_ALLOWED: 403,
  KEY_LIMIT_EXCEEDED: 403,
  PAYEE_NOT_ALLOWED: 403,
  COOLING_OFF: 403,
  APPROVAL_LIMIT_REACHED: 403,
  APPROVAL_DENIED: 403,
  APPROVAL_EXPIRED: 403,
  WALLET_NOT_FOUND: 404,
  USER_NOT_FOUND: 404,
  SESSION_NOT_FOUND: 404,
  TRANSACTION_NOT_FOUND: 404,
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
  WALLET_LIMIT_REACHED: 409,
  VERSION_CONFLICT: 409,
  WALLET_CLOSED: 409,
  KEY_LIMIT_REACHED: 409,
  APPROVAL_ALREADY_DECIDED: 409,
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

/** The families of routes, each with an envelope of its own. */
export type FamilyName = 'account' | 'payment' | 'mcp' | 'oauth' | 'api';

interface Family {
  readonly name: FamilyName;
  readonly paths: RegExp;
  readonly status?: Partial<Record<ErrorCode, number>>;
  envelope(refusal: AppError): object;
}

const NO_OAUTH =
  "This server has no OAuth: it takes a wallet's API key, as Authorization: Bearer <key>. The key that was sent, if any, " +
  "is unknown, expired or revoked. The wallet's owner makes keys.";

/** The error envelopes (decisions, "Errors"; JSON-RPC at `/mcp`), chosen by path alone, whatever raised the error. */
const FAMILIES: readonly Family[] = [
  {
    name: 'account',
    paths: /^\/(v1\/auth|v1\/onboarding|api\/onboarding)(\/|$)/,
    envelope: ({ code, message, detail }) =>
      STATUS[code] === 400
        ? {
            status: 'error',
            errors: (detail.fields ?? [{ field: code === 'BAD_REQUEST' ? 'request' : 'body', message }]).map(
              ({ field, message: why }) => ({
                code,
                path: field,
                message: why,
              }),
            ),
          }
        : { status: 'error', code, message },
  },
  {
    name: 'payment',
    paths: /^\/api\/payment-intent/,
    envelope: ({ code, message, detail: { fields, transactionId, details, advice, replayed } }) => ({
      success: false,
      message,
      code,
      ...(replayed && { replayed }),
      ...(fields && { errors: fields }),
      ...(transactionId && { transactionId }),
      ...(details && { details }),
      ...advice,
    }),
  },
  {
    name: 'mcp',
    paths: /^\/mcp(\/|$)/,
    envelope: ({ code, message }) => ({
      jsonrpc: '2.0',
      id: null,
      error: { code: jsonRpcCode(code), message, data: { code } },
    }),
  },
  {
    name: 'oauth',
    // No route is there: it is where clients of MCP look for OAuth, and they show people what such an error describes.
    paths:
      /^\/(register|authorize|token|\.well-known\/(oauth-authorization-server|openid-configuration)(\/.*)?)\/?$/,
    envelope: () => ({ error: 'invalid_request', error_description: NO_OAUTH }),
  },
  {
    name: 'api',
    // The bank reads a 404 as a wrong address; an unknown wallet is a fault of the body.
    paths: /^\/api\/webhooks(\/|$)/,
    status: { WALLET_NOT_FOUND: 400 },
    envelope: bare,
  },
  {
    name: 'api',
    // The owner may approve: it is the wallet that is not in the state for it.
    paths: /^\/v1\/approvals(\/|$)/,
    status: { WALLET_INACTIVE: 409, WALLET_EXPIRED: 409 },
    envelope: bare,
  },
  { name: 'api', paths: /^/, envelope: bare },
];

/** The code that JSON-RPC has for a request that did not get as far as its method. */
function jsonRpcCode(code: ErrorCode): number {
  if (code === 'VALIDATION_ERROR') return -32_700;
  return STATUS[code] < 500 ? -32_600 : -32_603;
}

function familyAt(path: string): Family {
  return FAMILIES.find(({ paths }) => paths.test(path)) ?? { name: 'api', paths: /^/, envelope: bare };
}

/** The family that the route at `path` belongs to; like every path here, as the router reads it. */
export const familyOf = (path: string): FamilyName => familyAt(path).name;

/** The HTTP status that a code has at `path`. */
export const statusOf = (code: ErrorCode, path: string): number =>
  familyAt(path).status?.[code] ?? STATUS[code];

/** The body that a refusal is answered with at `path`. */
export const envelopeOf = (refusal: AppError, path: string): object => familyAt(path).envelope(refusal);

function bare({ code, message, detail: { fields } }: AppError): object {
  return { error: { code, message, ...(fields && { errors: fields }) } };
}

const log = new Logger('http');
const limitedLog = new LimitedLog(log);

function notFound(): AppError {
  return new AppError('NOT_FOUND', 'There is nothing at this address; /docs lists what there is.');
}

/** For a request that no route takes: its address is unknown, or its method is. */
function noRouteFor(request: FastifyRequest): AppError {
  const allowed = allowedMethods(request.server, routePath(request.url));
  return allowed.length > 0
    ? new AppError('METHOD_NOT_ALLOWED', `This address takes ${allowed.join(', ')}.`)
    : notFound();
}

function refusalFor(error: unknown, request: FastifyRequest): AppError {
  if (error instanceof NotFoundException) return noRouteFor(request);
  const refusal = toRefusal(error, request);
  // Fastify reads a body also where no route does, and that nothing is there comes before what is wrong with it.
  return request.is404 && isOfBody(refusal) ? noRouteFor(request) : refusal;
}

/** Whether the body can not be read, other than for its size. */
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
  // Nest hands Fastify's own errors on as an HttpException, which keeps the status alone.
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
  // A file that may not be shown is answered as one that is not there.
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

/** Names the header that an invalid key came in: what looks for the key sees its hash alone. */
function naming({ headers }: FastifyRequest, refusal: AppError): AppError {
  if (refusal.code !== 'INVALID_API_KEY') return refusal;
  const header = headers['x-api-key'] ? 'x-api-key' : 'Authorization';
  return new AppError(refusal.code, `The API key in the header ${header} is unknown, expired or revoked.`);
}

/** Answers any error in the envelope of its route's family. */
export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const refusal = naming(request, refusalFor(error, request));
  const path = routePath(request.url);
  if (refusal.code === 'METHOD_NOT_ALLOWED') {
    void reply.header('allow', allowedMethods(request.server, path).join(', '));
  }
  if (refusal.code === 'UNAUTHORIZED') void reply.header('www-authenticate', 'Bearer');
  if (refusal.detail.retryAfterSeconds !== undefined) {
    void reply.header('retry-after', String(refusal.detail.retryAfterSeconds));
  }
  void reply.status(statusOf(refusal.code, path)).send(envelopeOf(refusal, path));
}

/** The one place where errors become HTTP. */
@Catch()
export class ErrorEnvelopeFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    answerError(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }
}
