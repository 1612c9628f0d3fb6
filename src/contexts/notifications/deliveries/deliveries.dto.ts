import { ApiProperty, type ApiPropertyOptions, ApiPropertyOptional } from '@nestjs/swagger';
import { IsDefined, IsIn, IsOptional } from 'class-validator';
import { Instant } from '../../../platform/http/api/fields.js';
import { PageOf, PageQuery, RowCount } from '../../../platform/http/api/pagination.js';
import { Parameter, uuidsOf, wordOf } from '../../../platform/http/api/query.js';
import {
  ApiIntegerProperty,
  ApiObjectProperty,
  ListOf,
  Success,
} from '../../../platform/http/api/response-properties.js';
import { OptionalBody } from '../../../platform/http/api/validation.pipe.js';
import { EVENT_NAMES, type EventName, EXAMPLES } from '../notifications.domain.js';

@OptionalBody()
export class TestRequest {
  @IsOptional()
  @IsIn(EVENT_NAMES, { message: `$property must be one of ${EVENT_NAMES.join(', ')}` })
  @ApiPropertyOptional({
    type: String,
    nullable: true,
    enum: [...EVENT_NAMES, null],
    description: 'Default: the first event of the endpoint.',
  })
  event?: EventName | null;
}

const STATUSES = ['pending', 'succeeded', 'failed'] as const;
const LIMIT_DEFAULT = 10;

const StatusFilter = () => Parameter((query, field) => wordOf(query, field, STATUSES), { enum: STATUSES });
const EventFilter = () =>
  Parameter((query, field) => wordOf(query, field, EVENT_NAMES), { enum: EVENT_NAMES });
const OneUuid = (options: ApiPropertyOptions) =>
  Parameter((query, field) => uuidsOf(query, field, 1)?.[0], { type: 'string', ...options });

export class DeliveriesQuery extends PageQuery {
  @StatusFilter()
  readonly status: (typeof STATUSES)[number] | null = null;

  @EventFilter()
  readonly event: EventName | null = null;
}

export class BrowseDeliveriesQuery {
  @OneUuid({ description: 'The nextCursor of the page before; the first page without.' })
  readonly cursor: string | null = null;

  @RowCount('How many', LIMIT_DEFAULT)
  readonly limit: number = LIMIT_DEFAULT;

  @StatusFilter()
  readonly status: (typeof STATUSES)[number] | null = null;

  @EventFilter()
  readonly event: EventName | null = null;

  @IsDefined({ message: '$property must be a UUID' })
  @OneUuid({ required: true, format: 'uuid' })
  readonly endpointId: string;
}

export class RecoverRequest {
  @Instant()
  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-21T06:30:00.000Z' })
  since: Date;
}

const ID = '019a9f2e-4c11-7d02-b7a4-2f1e8c9d0a33';
const WHEN = '2026-11-21T06:30:00.000Z';

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

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    nullable: true,
    example: {
      'content-type': 'application/json',
      'webhook-id': ID,
      'webhook-timestamp': '1795242600',
      'webhook-signature': 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
    },
    description:
      'The headers of the request, its signature included; null when nothing was sent or seen to be.',
  })
  requestHeaders: Record<string, string> | null;
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

class RecoverView {
  @ApiProperty({ type: 'integer', example: 12, description: 'How many deliveries are sent again.' })
  recovered: number;
}

export class DeliveryResponse extends Success(DeliveryView) {}
export class DeliveryDetailResponse extends Success(DeliveryDetailView) {}
class DeliveryCountsView {
  @ApiIntegerProperty('How many are to be sent, or sent again.', 1, { minimum: 0 })
  pending: number;

  @ApiIntegerProperty('How many arrived.', 12, { minimum: 0 })
  succeeded: number;

  @ApiIntegerProperty('How many were given up.', 0, { minimum: 0 })
  failed: number;
}

export class DeliveriesResponse extends PageOf(DeliveryView) {
  @ApiObjectProperty(DeliveryCountsView, 'Of all pages, whatever the status asked for.')
  counts: DeliveryCountsView;
}

export class DeliveriesByCursorResponse extends ListOf(DeliveryView, 'Newest first.') {
  @ApiProperty({
    type: String,
    nullable: true,
    example: ID,
    description: 'What to send as `cursor` for the next page; null at the end.',
  })
  nextCursor: string | null;
}

export class RecoverResponse extends Success(RecoverView) {}
