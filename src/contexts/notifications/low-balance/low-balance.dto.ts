import { ApiProperty } from '@nestjs/swagger';
import { ValidateIf } from 'class-validator';
import type { Kobo } from '../../../kernel/money.js';
import { Amount } from '../../../platform/http/api/fields.js';
import { Success } from '../../../platform/http/api/response-properties.js';
import { EXAMPLES } from '../notifications.domain.js';

export class ThresholdRequest {
  @ValidateIf((body: ThresholdRequest) => body.threshold !== null)
  @Amount()
  @ApiProperty({ type: Number, nullable: true, example: 1_000_000, description: 'kobo; null: none' })
  threshold: Kobo | null;
}

class ThresholdView {
  @ApiProperty({ format: 'uuid', example: EXAMPLES['wallet.funded'].walletId })
  walletId: string;

  @ApiProperty({ type: 'integer', nullable: true, example: 1_000_000, description: 'kobo' })
  threshold: number | null;
}

export class ThresholdResponse extends Success(ThresholdView) {}
