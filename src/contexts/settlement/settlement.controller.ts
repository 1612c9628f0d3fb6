import { Controller, Headers, HttpCode, Post, Req } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Bank } from '../bank/bank.port.js';
import { Answers } from '../../platform/http/api/answers.js';
import { BankSignature, Operation } from '../../platform/http/api/operation.js';
import { StatusResponse } from '../../platform/http/api/response-properties.js';
import { validationError, AppError } from '../../kernel/errors.js';
import { PayoutWebhookRequest } from './settlement.dto.js';
import { SettlementService } from './settlement.service.js';

const REFERENCE_MAX = 200;

@ApiTags('webhooks')
@Controller('api/webhooks/payouts')
@Answers({ invalidField: { field: 'data.reference', message: 'is required' } })
export class PayoutWebhookController {
  constructor(
    private readonly settlements: SettlementService,
    private readonly bank: Bank,
  ) {}

  /** Acknowledges every report; the bank is polled, never believed. */
  @Post()
  @HttpCode(200)
  @BankSignature()
  @ApiBody({ type: PayoutWebhookRequest })
  @Operation({
    id: 'receivePayoutNews',
    summary: 'Take news of a payout (called by the bank)',
    description: 'Acknowledged at once; then the bank is asked how the payout stands.',
    answers: StatusResponse,
    errors: ['VALIDATION_ERROR', 'INVALID_SIGNATURE'],
  })
  async receive(
    @Req() { rawBody }: FastifyRequest,
    @Headers('x-korapay-signature') signature?: string,
  ): Promise<StatusResponse> {
    const read = this.bank.readWebhook(rawBody ?? Buffer.alloc(0), signature);
    if (read.kind === 'bad-signature') {
      throw new AppError('INVALID_SIGNATURE', 'The signature of this delivery is missing or wrong.');
    }
    await this.settlements.schedulePoll(referenceOf(read.body));
    return { status: 'success', message: 'Thank you; the payout will be asked for.' };
  }
}

function referenceOf(body: unknown): string {
  const { event, data } = (body ?? {}) as { event?: unknown; data?: { reference?: unknown } | null };
  if (typeof event !== 'string') throw validationError({ field: 'event', message: 'must be a string' });
  const reference = data?.reference;
  if (typeof reference !== 'string' || reference === '' || reference.length > REFERENCE_MAX) {
    throw validationError({ field: 'data.reference', message: 'is required' });
  }
  return reference;
}
