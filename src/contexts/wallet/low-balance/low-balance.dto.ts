import { ApiProperty } from '@nestjs/swagger';
import { ValidateIf } from 'class-validator';
import type { Kobo } from '../../../kernel/money.js';
import { Amount } from '../../../platform/http/api/fields.js';
import { Success } from '../../../platform/http/api/response-properties.js';

export class ThresholdRequest {
  @ValidateIf((body: ThresholdRequest) => body.threshold !== null)
  @Amount()
  @ApiProperty({ type: Number, nullable: true, example: 1_000_000, description: 'kobo; null: none' })
  threshold: Kobo | null;
}

class ThresholdView {
  @ApiProperty({ format: 'uuid', example: '019a9f2e-1f00-7b3a-8e21-5a4c9d7e6f10' })
  walletId: string;

  @ApiProperty({ type: 'integer', nullable: true, example: 1_000_000, description: 'kobo' })
  threshold: number | null;
}

export class ThresholdResponse extends Success(ThresholdView) {}
