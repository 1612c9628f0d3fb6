import { applyDecorators, type Type } from '@nestjs/common';
import {
  ApiExtension,
  ApiHeader,
  ApiOperation,
  ApiParam,
  ApiResponse,
  type ApiResponseMetadata,
} from '@nestjs/swagger';
import type { ErrorCode } from '../../../kernel/errors.js';

/** How a route is described to clients. */
export interface Described {
  /** The operationId: unique, and the name of the function in a generated client. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  /** What success answers: a class, a list of one for a bare array of it, a CSV file, or server-sent events. */
  readonly answers: Type | readonly [Type] | 'csv' | 'event-stream';
  /** 200 unless told. */
  readonly status?: 200 | 201 | 202;
  /** What success sends beside the headers of every answer. */
  readonly headers?: ApiResponseMetadata['headers'];
  /** The codes of this route; `UNAUTHORIZED` and what every route can answer are added to them. */
  readonly errors?: readonly ErrorCode[];
}

/** Where an operation keeps its codes until the document is built, which knows its path and so its envelope. */
export const ERRORS = 'x-errors';

const DONE = { 200: 'Done.', 201: 'Created.', 202: 'On its way.' } as const;

/** Describes a route in the OpenAPI document. */
export function Operation({
  id,
  summary,
  description,
  answers,
  status = 200,
  headers = {},
  errors = [],
}: Described) {
  if (answers === 'csv') {
    return applyDecorators(
      ApiOperation({ operationId: id, summary, description: description ?? summary }),
      ApiExtension(ERRORS, errors),
      ApiResponse({
        status,
        description: 'A file, with a line of names first.',
        content: { 'text/csv': { schema: { type: 'string' } } },
      }),
    );
  }
  if (answers === 'event-stream') {
    return applyDecorators(
      ApiOperation({ operationId: id, summary, description: description ?? summary }),
      ApiExtension(ERRORS, errors),
      ApiResponse({
        status,
        description: 'Events, one after the other, until the stream ends.',
        content: { 'text/event-stream': { schema: { type: 'string' } } },
      }),
    );
  }
  const [type, isArray] = Array.isArray(answers) ? [answers[0] as Type, true] : [answers as Type, false];
  return applyDecorators(
    ApiOperation({ operationId: id, summary, description: description ?? summary }),
    ApiExtension(ERRORS, errors),
    ApiResponse({ status, type, isArray, headers, description: DONE[status] }),
  );
}

/** Where an operation keeps what is sent because of it, until the document is built. */
export const WEBHOOKS = 'x-webhooks';

/** The service sends these because of the route: the `webhooks` of the OpenAPI document. */
export const Sends = (webhooks: Record<string, object>) => ApiExtension(WEBHOOKS, webhooks);

/** The signature of what the bank sends. */
export const BankSignature = () =>
  ApiHeader({
    name: 'x-korapay-signature',
    required: false,
    description:
      'The hex HMAC-SHA256 of `JSON.stringify(data)` under the WEBHOOK_SECRET. Required when the service has one.',
    schema: { type: 'string', pattern: '^[0-9a-fA-F]{64}$' },
  });

/** The wallet that the path names. */
export const WalletIdParam = () =>
  ApiParam({
    name: 'walletId',
    description:
      'The id of a wallet of the signed-in user. What is no UUID is answered like an unknown wallet.',
    schema: { type: 'string', format: 'uuid' },
    example: '019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f',
  });
