import { applyDecorators, type Type } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import {
  ApiExtension,
  ApiHeader,
  ApiOperation,
  ApiParam,
  ApiResponse,
  type ApiResponseMetadata,
} from '@nestjs/swagger';
import type { ErrorCode } from '../../../kernel/errors.js';
import { LAG_HEADER } from './csv.js';

export interface Described {
  /** Unique; names the function in generated clients. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  readonly answers: Type | readonly [Type] | keyof typeof FILES | 'event-stream';
  /** 200 unless given. */
  readonly status?: 200 | 201 | 202;
  readonly headers?: ApiResponseMetadata['headers'];
  /** Common codes are added. */
  readonly errors?: readonly ErrorCode[];
}

/** Codes are kept until the document is built, which knows the path. */
export const ERRORS = 'x-errors';

export const GUARD_ERRORS = 'x-guard-errors-';

/** Documents what a guard throws. */
export const GuardErrors = (guard: string, ...codes: readonly ErrorCode[]) =>
  ApiExtension(GUARD_ERRORS + guard, codes);

const requests = new Map<string, readonly Type[]>();

export const requestsOf = (operationId: string): readonly Type[] => requests.get(operationId) ?? [];

const KeepRequests =
  (id: string): MethodDecorator =>
  (controller, method) => {
    const types = Reflect.getMetadata('design:paramtypes', controller, method) as Type[];
    const places = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller.constructor, method) ??
      {}) as Readonly<Record<string, { readonly index: number }>>;
    const of = (kind: RouteParamtypes) =>
      Object.keys(places)
        .filter((name) => name.startsWith(`${kind}:`))
        .flatMap((name) => types[places[name]?.index ?? -1] ?? []);
    requests.set(id, [...of(RouteParamtypes.BODY), ...of(RouteParamtypes.QUERY)]);
  };

const FILES = {
  csv: { description: 'A file, with a line of names first.', type: 'text/csv', schema: { type: 'string' } },
  file: {
    description: 'The file, as an attachment.',
    type: 'application/octet-stream',
    schema: { type: 'string', format: 'binary' },
  },
  pdf: { description: 'A file.', type: 'application/pdf', schema: { type: 'string', format: 'binary' } },
} as const;

const DONE = { 200: 'Done.', 201: 'Created.', 202: 'On its way.' } as const;

export function Operation({
  id,
  summary,
  description,
  answers,
  status = 200,
  headers = {},
  errors = [],
}: Described) {
  if (answers === 'csv' || answers === 'pdf' || answers === 'file') {
    const { type, schema, description: content } = FILES[answers];
    return applyDecorators(
      KeepRequests(id),
      ApiOperation({ operationId: id, summary, description: description ?? summary }),
      ApiExtension(ERRORS, errors),
      ApiResponse({
        status,
        description: content,
        headers: {
          [LAG_HEADER]: {
            description: 'Set if read from a replica: milliseconds within which changes may be missing.',
            schema: { type: 'integer' },
          },
        },
        content: { [type]: { schema } },
      }),
    );
  }
  if (answers === 'event-stream') {
    return applyDecorators(
      KeepRequests(id),
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
    KeepRequests(id),
    ApiOperation({ operationId: id, summary, description: description ?? summary }),
    ApiExtension(ERRORS, errors),
    ApiResponse({ status, type, isArray, headers, description: DONE[status] }),
  );
}

export const WEBHOOKS = 'x-webhooks';

/** Webhooks that the route causes. */
export const Sends = (webhooks: Record<string, object>) => ApiExtension(WEBHOOKS, webhooks);

export const BankSignature = () =>
  ApiHeader({
    name: 'x-korapay-signature',
    required: false,
    description:
      'The hex HMAC-SHA256 of `JSON.stringify(data)` under the WEBHOOK_SECRET. Required when the service has one.',
    schema: { type: 'string', pattern: '^[0-9a-fA-F]{64}$' },
  });

export const IdParam = (name: string, description: string) =>
  ApiParam({
    name,
    description,
    schema: { type: 'string', format: 'uuid' },
    example: '019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f',
  });

export const WalletIdParam = () =>
  IdParam(
    'walletId',
    'The id of a wallet of the signed-in user. What is no UUID is answered like an unknown wallet.',
  );
