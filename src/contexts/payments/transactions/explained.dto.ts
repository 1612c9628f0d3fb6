import { ApiProperty } from '@nestjs/swagger';
import { ApiListProperty, Success } from '../../../platform/http/api/response-properties.js';
import { QuotedCheck } from '../authorize/authorize.dto.js';
import type { Facts } from '../checks/facts.port.js';
import { TransactionDetails } from './transactions.dto.js';

class ExplainedTransaction extends TransactionDetails {
  @ApiListProperty(
    QuotedCheck,
    'Every check that applied, in order, including those after the first failure.',
  )
  checks: readonly QuotedCheck[];

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'The facts that the decision was made on, as they were then; stored with the attempt.',
    example: { status: 'ACTIVE', balance: 105_055 },
  })
  facts: Facts;
}

export class ExplainedResponse extends Success(ExplainedTransaction) {}
