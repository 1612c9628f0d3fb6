import { ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsOptional,
  ValidateIf,
} from 'class-validator';
import { Amount, Instant, Text, Uuids } from '../../platform/http/fields.js';
import { PageOf } from '../../platform/http/pagination.js';
import { Success } from '../../platform/http/shown.js';
import type { Kobo } from '../../kernel/money.js';
import { EVENT_NAMES, type EventName, EXAMPLES, URL_LENGTH_MAX } from './notifications.domain.js';

/** What the routes of the outbound webhooks take, and what the documentation says of their answers and of what is sent. */

const WALLETS_MAX = 100;

const Url = () => Text(1, URL_LENGTH_MAX);
const EventNames = () => (target: object, property: string) => {
  const message = `$property must be a list of these, each once: ${EVENT_NAMES.join(', ')}`;
  IsIn(EVENT_NAMES, { each: true, message })(target, property);
  ArrayUnique({ message })(target, property);
  ArrayMinSize(1, { message })(target, property);
  IsArray({ message })(target, property);
};
const WalletIds = () => (target: object, property: string) => {
  const message = `$property must be a list of 1 to ${WALLETS_MAX} wallet ids`;
  Uuids()(target, property);
  ArrayMaxSize(WALLETS_MAX, { message })(target, property);
  ArrayMinSize(1, { message })(target, property);
  IsArray({ message })(target, property);
};

export class CreateEndpointRequest {
  @Url()
  @ApiProperty({ example: 'https://example.com/hooks/wallet', maxLength: URL_LENGTH_MAX })
  url: string;

  @IsOptional()
  @EventNames()
  @ApiPropertyOptional({ enum: EVENT_NAMES, isArray: true, default: ['wallet.funded'] })
  events?: EventName[] | null;

  @IsOptional()
  @WalletIds()
  @ApiPropertyOptional({
    type: [String],
    format: 'uuid',
    nullable: true,
    description: 'Default: all wallets of the user, those made later included.',
  })
  walletIds?: string[] | null;

  @IsOptional()
  @Text(0, 200)
  @ApiPropertyOptional({ type: String, nullable: true, example: 'Bookkeeping' })
  description?: string | null;
}

export class ChangeEndpointRequest {
  @IsOptional()
  @Url()
  @ApiPropertyOptional({ example: 'https://example.com/hooks/wallet', maxLength: URL_LENGTH_MAX })
  url?: string | null;

  @IsOptional()
  @EventNames()
  @ApiPropertyOptional({ enum: EVENT_NAMES, isArray: true })
  events?: EventName[] | null;

  @IsOptional()
  @WalletIds()
  @ApiPropertyOptional({
    type: [String],
    format: 'uuid',
    nullable: true,
    description: 'null: all wallets; absent: as before.',
  })
  walletIds?: string[] | null;

  @IsOptional()
  @Text(0, 200)
  @ApiPropertyOptional({ type: String, nullable: true })
  description?: string | null;

  @IsOptional()
  @IsIn(['enabled', 'disabled'], { message: '$property must be enabled or disabled' })
  @ApiPropertyOptional({ enum: ['enabled', 'disabled'] })
  status?: 'enabled' | 'disabled' | null;
}

export class RotateSecretRequest {
  @IsOptional()
  @IsBoolean({ message: '$property must be true or false' })
  @ApiPropertyOptional({
    type: Boolean,
    default: false,
    description: 'true: the old secrets stop signing at once, instead of after 24 hours.',
  })
  revokePrevious?: boolean | null;
}

export class TestRequest {
  @IsOptional()
  @IsIn(EVENT_NAMES, { message: `$property must be one of ${EVENT_NAMES.join(', ')}` })
  @ApiPropertyOptional({ enum: EVENT_NAMES, description: 'Default: the first event of the endpoint.' })
  event?: EventName | null;
}

export class RecoverRequest {
  @Instant()
  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-21T06:30:00.000Z' })
  since: Date;
}

export class ThresholdRequest {
  @ValidateIf((body: ThresholdRequest) => body.threshold !== null)
  @Amount()
  @ApiProperty({ type: Number, nullable: true, example: 1_000_000, description: 'kobo; null: none' })
  threshold: Kobo | null;
}

const ID = '019a9f2e-4c11-7d02-b7a4-2f1e8c9d0a33';
const WHEN = '2026-11-21T06:30:00.000Z';

class EndpointView {
  @ApiProperty({ format: 'uuid', example: ID })
  id: string;

  @ApiProperty({ example: 'https://example.com/hooks/wallet' })
  url: string;

  @ApiProperty({ enum: EVENT_NAMES, isArray: true, example: ['wallet.funded'] })
  events: EventName[];

  @ApiProperty({
    type: [String],
    nullable: true,
    example: null,
    description: 'null: all wallets of the user',
  })
  walletIds: string[] | null;

  @ApiProperty({ type: String, nullable: true, example: 'Bookkeeping' })
  description: string | null;

  @ApiProperty({ enum: ['enabled', 'disabled'] })
  status: string;

  @ApiProperty({ type: String, nullable: true, example: null })
  disabledReason: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: null })
  disabledAt: string | null;

  @ApiProperty({ format: 'date-time', example: WHEN })
  createdAt: string;
}

class NewEndpointView extends EndpointView {
  @ApiProperty({ example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=' })
  secret: string;
}

class DeliveryView {
  @ApiProperty({ format: 'uuid', example: ID })
  id: string;

  @ApiProperty({ format: 'uuid', example: ID })
  endpointId: string;

  @ApiProperty({
    format: 'uuid',
    example: ID,
    description: 'The header webhook-id: the same over retries and replays.',
  })
  webhookId: string;

  @ApiProperty({ enum: EVENT_NAMES })
  event: string;

  @ApiProperty({ type: String, format: 'uuid', nullable: true, example: EXAMPLES['wallet.funded'].walletId })
  walletId: string | null;

  @ApiProperty({ example: false })
  isTest: boolean;

  @ApiProperty({ enum: ['pending', 'succeeded', 'failed'] })
  status: string;

  @ApiProperty({ type: 'integer', example: 1 })
  attemptCount: number;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: null })
  nextAttemptAt: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: WHEN })
  lastAttemptAt: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: WHEN })
  finishedAt: string | null;

  @ApiProperty({ type: String, nullable: true, example: null })
  failureReason: string | null;

  @ApiProperty({ format: 'date-time', example: WHEN })
  createdAt: string;
}

class AttemptView {
  @ApiProperty({ format: 'date-time', example: WHEN })
  at: string;

  @ApiProperty({ type: 'integer', nullable: true, example: 200, description: 'null: no answer, see error' })
  statusCode: number | null;

  @ApiProperty({ type: 'integer', nullable: true, example: 84 })
  durationMs: number | null;

  @ApiProperty({ type: String, nullable: true, example: 'ok', description: 'The first 1 KiB of the answer.' })
  response: string | null;

  @ApiProperty({ type: String, nullable: true, example: null })
  error: string | null;
}

class DeliveryDetailView extends DeliveryView {
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    example: { event: 'wallet.funded', data: EXAMPLES['wallet.funded'] },
    description: 'What was sent.',
  })
  body: object;

  @ApiProperty({ type: [AttemptView] })
  attempts: AttemptView[];
}

class SecretView {
  @ApiProperty({ format: 'uuid', example: ID })
  id: string;

  @ApiProperty({ example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=' })
  secret: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: '2026-11-22T06:30:00.000Z' })
  oldSecretsExpireAt: string | null;
}

class DeletedView {
  @ApiProperty({ format: 'uuid', example: ID })
  id: string;

  @ApiProperty({ example: true })
  deleted: true;
}

class RecoverView {
  @ApiProperty({ type: 'integer', example: 12, description: 'How many deliveries are sent again.' })
  recovered: number;
}

class ThresholdView {
  @ApiProperty({ format: 'uuid', example: EXAMPLES['wallet.funded'].walletId })
  walletId: string;

  @ApiProperty({ type: 'integer', nullable: true, example: 1_000_000, description: 'kobo' })
  threshold: number | null;
}

export class EndpointResponse extends Success(EndpointView) {}
export class NewEndpointResponse extends Success(NewEndpointView) {}
export class EndpointsResponse extends PageOf(EndpointView) {}
export class DeletedResponse extends Success(DeletedView) {}
export class SecretResponse extends Success(SecretView) {}
export class DeliveryResponse extends Success(DeliveryView) {}
export class DeliveryDetailResponse extends Success(DeliveryDetailView) {}
export class DeliveriesResponse extends PageOf(DeliveryView) {}
export class RecoverResponse extends Success(RecoverView) {}
export class ThresholdResponse extends Success(ThresholdView) {}

// --- What is sent ------------------------------------------------------------------------------------------

const WORDS: Readonly<Record<EventName, { readonly schema: string; readonly summary: string }>> = {
  'wallet.funded': { schema: 'WalletFundedEvent', summary: 'Money arrived and the wallet was credited.' },
  'payment.approved': {
    schema: 'PaymentApprovedEvent',
    summary: 'All six checks passed: the wallet was debited and the money is on its way.',
  },
  'payment.blocked': { schema: 'PaymentBlockedEvent', summary: 'A check failed: nothing moved.' },
  'payment.settled': { schema: 'PaymentSettledEvent', summary: 'The bank has paid the recipient.' },
  'payment.refunded': {
    schema: 'PaymentRefundedEvent',
    summary: 'The bank did not pay the recipient: the money is back in the wallet.',
  },
  'wallet.low_balance': {
    schema: 'WalletLowBalanceEvent',
    summary: 'A payment took the balance from at or above the threshold of the wallet to below it.',
  },
};

/** The schema of a body, read off its example: amounts are kobo, times ISO 8601, `reason` may be null. */
function bodyClass(event: EventName): new () => object {
  const { schema } = WORDS[event];
  const data = classNamed(`${schema}Data`);
  const body = classNamed(schema);
  for (const [field, example] of Object.entries(EXAMPLES[event]) as [string, string | number | null][]) {
    ApiProperty({
      type: typeof example === 'number' ? 'integer' : String,
      example,
      ...(/At$/.test(field) && { format: 'date-time' }),
      ...(/Id$/.test(field) && { format: 'uuid' }),
      ...(field === 'reason' && { nullable: true }),
    })(data.prototype, field);
  }
  ApiProperty({ enum: [event], example: event })(body.prototype, 'event');
  ApiProperty({ type: data })(body.prototype, 'data');
  return body;
}

function classNamed(name: string): { new (): object; prototype: object } {
  const made = function () {};
  Object.defineProperty(made, 'name', { value: name });
  return made as unknown as { new (): object; prototype: object };
}

/** The body of each event, in the order of {@link EVENT_NAMES}. */
export const EVENT_BODIES = EVENT_NAMES.map(bodyClass);

/** The `webhooks` of the OpenAPI document: each event with its headers, body and an example. */
export function outboundWebhooks(): Record<string, object> {
  const header = (name: string, description: string, example: string) => ({
    name,
    in: 'header',
    required: true,
    description,
    schema: { type: 'string' },
    example,
  });
  return Object.fromEntries(
    EVENT_NAMES.map((event, i) => [
      event,
      {
        post: {
          operationId: WORDS[event].schema,
          tags: ['outbound webhooks'],
          summary: WORDS[event].summary,
          description:
            'Sent to the endpoints that listen to it, at least once: answer 2xx within 15 seconds, and tell repeats by ' +
            'webhook-id. Verify with a Standard Webhooks library before reading the body.',
          parameters: [
            header('webhook-id', 'The same over retries and replays.', ID),
            header('webhook-timestamp', 'Seconds since 1970 of this attempt.', '1795242600'),
            header(
              'webhook-signature',
              'One or more, separated by spaces: one for each active secret.',
              'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
            ),
          ],
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: { $ref: getSchemaPath(EVENT_BODIES[i] as new () => object) },
                example: { event, data: EXAMPLES[event] },
              },
            },
          },
          responses: { '2XX': { description: 'Received. Anything else is tried again.' } },
        },
      },
    ]),
  );
}
