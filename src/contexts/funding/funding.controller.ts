import { Controller, Headers, HttpCode, Post, Req } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Answers } from '../../platform/http/api/answers.js';
import { BankSignature, Operation } from '../../platform/http/api/operation.js';
import { StatusResponse } from '../../platform/http/api/response-properties.js';
import { ChargeSucceededRequest, OtherBankEventRequest } from './funding.dto.js';
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
// The bank reads a 404 as a wrong address.
@Answers({
  status: { WALLET_NOT_FOUND: 400 },
  invalidField: { field: 'data.amount', message: 'must be a JSON number' },
})
export class FundingController {
  constructor(private readonly funding: FundingService) {}

  @Post()
  @HttpCode(200)
  @ApiExtraModels(ChargeSucceededRequest, OtherBankEventRequest)
  @ApiBody({
    schema: {
      oneOf: [ChargeSucceededRequest, OtherBankEventRequest].map((type) => ({ $ref: getSchemaPath(type) })),
    },
  })
  @BankSignature()
  @Operation({
    id: 'receiveBankEvent',
    summary: 'Take a report of the bank: a transfer arrived (called by the bank)',
    description:
      'A `charge.success` credits the wallet that `account_reference` names, once per `data.reference`, however ' +
      'often it is delivered. Every other event is acknowledged without effect.',
    answers: StatusResponse,
    errors: ['VALIDATION_ERROR', 'WALLET_NOT_FOUND', 'INVALID_SIGNATURE'],
  })
  async receive(
    @Req() request: FastifyRequest,
    @Headers('x-korapay-signature') signature?: string,
  ): Promise<StatusResponse> {
    const result = await this.funding.receive(request.rawBody ?? Buffer.alloc(0), signature);
    return { status: 'success', message: MESSAGES[result] };
  }
}
