import { Controller, Headers, HttpCode, Post, Req } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { type DeliveryResult, FundingService } from './funding.service.js';

const MESSAGES: Record<DeliveryResult, string> = {
  credited: 'The wallet is credited.',
  duplicate: 'This transfer was received before; nothing more is credited.',
  held: 'The transfer is recorded and held for the operator.',
  conflict: 'This reference was received before with other contents; recorded for the operator.',
  ignored: 'This event has no effect.',
  unmatched: 'No wallet matches.',
};

@ApiTags('webhooks')
@Controller('api/webhooks')
export class FundingController {
  constructor(private readonly funding: FundingService) {}

  @Post()
  @HttpCode(200)
  @ApiOperation({ summary: 'The bank reports a transfer (called by the bank)' })
  async receive(
    @Req() request: FastifyRequest,
    @Headers('x-korapay-signature') signature?: string,
  ): Promise<{ status: 'success'; message: string }> {
    const result = await this.funding.receive(request.rawBody ?? Buffer.alloc(0), signature);
    return { status: 'success', message: MESSAGES[result] };
  }
}
