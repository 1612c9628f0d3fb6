import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsOptional,
} from 'class-validator';
import { Name, Text, Uuids } from '../../../platform/http/api/fields.js';
import { PageOf } from '../../../platform/http/api/pagination.js';
import { Success } from '../../../platform/http/api/response-properties.js';
import { OptionalBody } from '../../../platform/http/api/validation.pipe.js';
import { EVENT_NAMES, type EventName } from '../notifications.domain.js';

import { RECENT_DELIVERIES_MAX } from '../deliveries/deliveries.store.js';
import { URL_LENGTH_MAX } from '../../../platform/security/outbound-url.js';

const WALLETS_MAX = 100;
const WALLETS_BOUNDS = { minItems: 1, maxItems: WALLETS_MAX } as const;
const EVENTS_BOUNDS = { minItems: 1, uniqueItems: true } as const;

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
  @ApiPropertyOptional({
    enum: EVENT_NAMES,
    isArray: true,
    nullable: true,
    ...EVENTS_BOUNDS,
    default: ['wallet.funded'],
  })
  events?: EventName[] | null;

  @IsOptional()
  @WalletIds()
  @ApiPropertyOptional({
    type: [String],
    format: 'uuid',
    nullable: true,
    ...WALLETS_BOUNDS,
    description: 'Default: all wallets of the account, those made later included.',
  })
  walletIds?: string[] | null;

  @IsOptional()
  @Name(0, 200)
  @ApiPropertyOptional({ type: String, nullable: true, example: 'Bookkeeping' })
  description?: string | null;
}

export class ChangeEndpointRequest {
  @IsOptional()
  @Url()
  @ApiPropertyOptional({
    type: String,
    nullable: true,
    example: 'https://example.com/hooks/wallet',
    maxLength: URL_LENGTH_MAX,
  })
  url?: string | null;

  @IsOptional()
  @EventNames()
  @ApiPropertyOptional({ enum: EVENT_NAMES, isArray: true, nullable: true, ...EVENTS_BOUNDS })
  events?: EventName[] | null;

  @IsOptional()
  @WalletIds()
  @ApiPropertyOptional({
    type: [String],
    format: 'uuid',
    nullable: true,
    ...WALLETS_BOUNDS,
    description: 'null: all wallets; absent: as before.',
  })
  walletIds?: string[] | null;

  @IsOptional()
  @Name(0, 200)
  @ApiPropertyOptional({ type: String, nullable: true })
  description?: string | null;

  @IsOptional()
  @IsIn(['enabled', 'disabled'], { message: '$property must be enabled or disabled' })
  @ApiPropertyOptional({ type: String, nullable: true, enum: ['enabled', 'disabled', null] })
  status?: 'enabled' | 'disabled' | null;
}

@OptionalBody()
export class RotateSecretRequest {
  @IsOptional()
  @IsBoolean({ message: '$property must be true or false' })
  @ApiPropertyOptional({
    type: Boolean,
    nullable: true,
    default: false,
    description: 'true: the old secrets stop signing at once, instead of after 24 hours.',
  })
  revokePrevious?: boolean | null;
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
    description: 'null: all wallets of the account',
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

class EndpointHealthView {
  @ApiProperty({
    type: 'integer',
    example: 100,
    description: `How many of the newest ${RECENT_DELIVERIES_MAX} deliveries were attempted.`,
  })
  attempted: number;

  @ApiProperty({ type: 'integer', example: 98, description: 'How many of those succeeded.' })
  succeeded: number;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    example: WHEN,
    description: 'The newest failure of a delivery that has not succeeded since.',
  })
  lastFailedAt: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'answered 500' })
  lastFailureReason: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: WHEN })
  nextRetryAt: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    example: null,
    description: 'The first failure since the endpoint last took a delivery.',
  })
  failingSince: string | null;
}

class EndpointWithHealthView extends EndpointView {
  @ApiProperty({ type: EndpointHealthView, description: 'The results of recent deliveries to the endpoint.' })
  health: EndpointHealthView;
}

class NewEndpointView extends EndpointView {
  @ApiProperty({ example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=' })
  secret: string;
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

export class EndpointResponse extends Success(EndpointView) {}
export class EndpointWithHealthResponse extends Success(EndpointWithHealthView) {}
export class NewEndpointResponse extends Success(NewEndpointView) {}
export class EndpointsResponse extends PageOf(EndpointWithHealthView) {}
export class DeletedResponse extends Success(DeletedView) {}
export class SecretResponse extends Success(SecretView) {}
