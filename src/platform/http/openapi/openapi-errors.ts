import type { OpenAPIObject } from '@nestjs/swagger';
import { AppError, BLOCK_REASONS, type ErrorCode, type FieldError } from '../../../kernel/errors.js';
import { MEANINGS } from '../api/error-meanings.js';
import { REPLAYED_HEADER } from '../api/idempotency.js';
import type { Envelope, ErrorAnswers } from '../api/answers.js';
import { envelopeOf, statusOf } from '../api/error-envelope.filter.js';
import { invalidFieldOf } from './invalid-field.js';

type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;
type Responses = NonNullable<NonNullable<OpenAPIObject['components']>['responses']>;

const FIELDS: Partial<Record<ErrorCode, FieldError>> = {
  EXPIRY_IN_PAST: { field: 'expiry', message: 'must lie in the future' },
  ALLOWLIST_REQUIRED: {
    field: 'merchantAllowlist',
    message: 'must name at least one merchant when useAllowlist is true',
  },
  INVALID_RESET_TOKEN: { field: 'token', message: 'is not valid any more' },
  PERIOD_LIMIT_TOO_LOW: { field: 'spendLimitPeriod', message: 'must be at least spendLimitPerTx' },
};
const INVALID_EMAIL = { field: 'email', message: 'must be a valid e-mail address' };
const INVALID_AMOUNT = {
  field: 'amount',
  message: 'must be a whole number of kobo from 1 to 9007199254740991',
};
const BLOCKS: ReadonlySet<ErrorCode> = new Set(BLOCK_REASONS);
const ANYWHERE: readonly ErrorCode[] = [
  'VALIDATION_ERROR',
  'BAD_REQUEST',
  'METHOD_NOT_ALLOWED',
  'REQUEST_TIMEOUT',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'HEADERS_TOO_LARGE',
  'RATE_LIMITED',
  'INTERNAL_ERROR',
  'OVERLOADED',
  'DATABASE_UNAVAILABLE',
  'OUTCOME_UNKNOWN',
  'SHUTTING_DOWN',
];

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const code = { ...ref('ErrorCode') };
const message = { type: 'string', description: 'For people; programs go by the code.' } as const;
const fields = {
  type: 'array',
  description: 'One entry for each failing field.',
  items: ref('FieldError'),
} as const;

const ADVICE: Schemas = {
  maxAmountNow: {
    type: 'integer',
    format: 'int64',
    minimum: 0,
    description:
      'Of a blocked attempt: the most, in kobo, that it could be now; 0 when no amount passes. Absent when it could not ' +
      'be determined.',
  },
  earliestPassAt: {
    type: ['string', 'null'],
    format: 'date-time',
    description:
      'Of a blocked attempt: from then on it passes if nothing else happens. Null when waiting alone does not help, or ' +
      'when a repeated one would pass now; absent when it could not be determined.',
  },
  hint: {
    type: 'string',
    description:
      'Of a blocked attempt: what to do instead. Of a repeated one: what would pass now, under a new `Idempotency-Key`.',
  },
};

export const ERROR_SCHEMAS: Schemas = {
  ErrorCode: { type: 'string', enum: Object.keys(MEANINGS), description: 'Stable; programs go by it.' },
  FieldError: {
    type: 'object',
    required: ['field', 'message'],
    properties: { field: { type: 'string', description: 'A dotted path.' }, message: { type: 'string' } },
  },
  ApiError: {
    type: 'object',
    description: 'The envelope of wallets, lists, stats, ledgers, webhooks and everything else.',
    required: ['error'],
    properties: {
      error: { type: 'object', required: ['code', 'message'], properties: { code, message, errors: fields } },
    },
  },
  PaymentError: {
    type: 'object',
    description: 'The envelope of the payment intent.',
    required: ['success', 'message', 'code'],
    properties: {
      success: { type: 'boolean', enum: [false] },
      message,
      code,
      errors: fields,
      transactionId: {
        type: 'string',
        format: 'uuid',
        description:
          'The stored attempt, when one of the six checks or a rule of the owner blocked it. Of ' +
          '`IDEMPOTENCY_KEY_REUSED`: the attempt that the key was used for.',
      },
      replayed: {
        type: 'boolean',
        enum: [true],
        description:
          'Only present where an earlier request with this `Idempotency-Key` was blocked: this is its answer, and nothing ' +
          'was decided now.',
      },
      details: {
        type: 'object',
        additionalProperties: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
        description: 'Of a rule of the owner: what was compared, such as the limit.',
      },
      ...ADVICE,
    },
  },
  AccountError: {
    type: 'object',
    description: 'The envelope of sign-up, login, logout and onboarding, but for status 400.',
    required: ['status', 'code', 'message'],
    properties: { status: { type: 'string', enum: ['error'] }, code, message },
  },
  AccountFieldErrors: {
    type: 'object',
    description: 'The envelope of sign-up, login, logout and onboarding for status 400.',
    required: ['status', 'errors'],
    properties: {
      status: { type: 'string', enum: ['error'] },
      errors: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          required: ['code', 'path', 'message'],
          properties: {
            code,
            path: { type: 'string', description: 'The failing field, dotted; `body` when it is no JSON.' },
            message,
          },
        },
      },
    },
  },
};

/** A status hides `default`. */
function schemaOf(envelope: Envelope, status: number, codes: readonly ErrorCode[]): object {
  const only = { type: 'string', enum: codes };
  if (envelope === 'error') {
    const error = { type: 'object', required: ['code'], properties: { code: only } };
    return { allOf: [ref('ApiError'), { type: 'object', required: ['error'], properties: { error } }] };
  }
  if (envelope === 'status' && status === 400) return ref('AccountFieldErrors');
  return {
    allOf: [
      ref(envelope === 'success' ? 'PaymentError' : 'AccountError'),
      { type: 'object', required: ['code'], properties: { code: only } },
    ],
  };
}

function exampleOf(of: ErrorCode, answers: ErrorAnswers): object {
  const invalid = answers.invalidField ?? (answers.envelope === 'status' ? INVALID_EMAIL : INVALID_AMOUNT);
  const field = of === 'VALIDATION_ERROR' ? invalid : FIELDS[of];
  const refusal = new AppError(of, MEANINGS[of], {
    ...(field && { fields: [field] }),
    ...(BLOCKS.has(of) && { transactionId: '019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f' }),
  });
  return { summary: MEANINGS[of], value: envelopeOf(refusal, answers) };
}

/** By status, each with its codes. */
export function errorResponses(
  declared: ErrorAnswers,
  codes: readonly ErrorCode[],
  operationId?: string,
): Responses {
  const answers = { invalidField: invalidFieldOf(operationId), ...declared };
  const { envelope = 'error' } = answers;
  const byStatus = Map.groupBy([...new Set(codes)], (each) => statusOf(each, answers));
  const listed = [...byStatus].sort(([one], [other]) => one - other);
  const responses = listed.map(([status, own]) => [
    String(status),
    {
      description: own.map((each) => `\`${each}\`: ${MEANINGS[each]}`).join('\n\n'),
      ...(status === 429 || status === 503 ? { headers: RETRY_AFTER } : {}),
      // Replays of stored attempts.
      ...(envelope === 'success' && own.some((each) => BLOCKS.has(each)) ? { headers: REPLAYED_HEADER } : {}),
      content: {
        'application/json': {
          schema: schemaOf(envelope, status, [...new Set([...own, ...anywhereWith(status, answers)])]),
          examples: Object.fromEntries(own.map((each) => [each, exampleOf(each, answers)])),
        },
      },
    },
  ]);
  return {
    ...(Object.fromEntries(responses) as Responses),
    default: { $ref: `#/components/responses/${ANYWHERE_NAMES[envelope]}` },
  };
}

const anywhereWith = (status: number, answers: ErrorAnswers): ErrorCode[] =>
  ANYWHERE.filter((each) => statusOf(each, answers) === status);

const RETRY_AFTER = {
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 1 } },
} as const;
const ALLOW = {
  Allow: { description: 'Of 405: the methods that the address takes.', schema: { type: 'string' } },
} as const;
const ANYWHERE_NAMES: Record<Envelope, string> = {
  status: 'OtherAccountErrors',
  success: 'OtherPaymentErrors',
  error: 'OtherErrors',
  'json-rpc': 'OtherErrors',
  oauth: 'OtherErrors',
};

export const ERROR_RESPONSES: Responses = Object.fromEntries(
  (['status', 'success', 'error'] as const).map((envelope) => [
    ANYWHERE_NAMES[envelope],
    {
      description: `What every route can answer: ${ANYWHERE.map((each) => `${statusOf(each, {})} \`${each}\``).join(', ')}.`,
      headers: { ...RETRY_AFTER, ...ALLOW },
      content: {
        'application/json': {
          schema:
            envelope === 'status'
              ? { anyOf: [ref('AccountError'), ref('AccountFieldErrors')] }
              : ref(envelope === 'success' ? 'PaymentError' : 'ApiError'),
          examples: Object.fromEntries(ANYWHERE.map((each) => [each, exampleOf(each, { envelope })])),
        },
      },
    },
  ]),
);

export function codeTable(): string {
  const rows = (Object.keys(MEANINGS) as ErrorCode[]).map(
    (each) => `| ${statusOf(each, {})} | \`${each}\` | ${MEANINGS[each]} |`,
  );
  return ['| status | code | meaning |', '|---|---|---|', ...rows].join('\n');
}
