import { ApiExtraModels, ApiProperty } from '@nestjs/swagger';
import {
  ApiConstantProperty,
  ApiObjectProperty,
  ApiTextProperty,
} from '../../platform/http/api/response-properties.js';

/*
 * For the OpenAPI document alone: funding.domain.ts reads the body, as the amount must never pass through a
 * float.
 */

const REFERENCE_MAX = 200;

const Optionally = (description: string, example: string) =>
  ApiTextProperty(description, example, { required: false, nullable: true });

export class PayerBankAccount {
  @Optionally('Who paid.', 'Chidi Okafor')
  account_name?: string | null;
  @Optionally('From which account.', '0987654321')
  account_number?: string | null;
  @Optionally('At which bank.', 'Access Bank')
  bank_name?: string | null;
  @Optionally('Its code.', '044')
  bank_code?: string | null;
}

export class PaidBankAccount {
  @Optionally('The name of the virtual account.', 'Shopping agent / ada@example.ng')
  account_name?: string | null;
  @Optionally('Its number.', '0000000017')
  account_number?: string | null;
  @Optionally('Its bank.', 'Wema Bank (sandbox)')
  bank_name?: string | null;
  @ApiTextProperty('The id of the wallet to credit.', '019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f', {
    minLength: 1,
    maxLength: REFERENCE_MAX,
  })
  account_reference: string;
}

export class PayingCustomer {
  @Optionally('The name of the customer.', 'Chidi Okafor')
  name?: string | null;
  @Optionally('The e-mail of the customer.', 'chidi@example.ng')
  email?: string | null;
}

export class ChargeData {
  @ApiTextProperty(
    'The reference of the transfer: it is credited once. Kept on the ledger entry.',
    'KPY-CA-9f2c1b',
    {
      minLength: 1,
      maxLength: REFERENCE_MAX,
    },
  )
  reference: string;

  @Optionally("The bank's internal reference.", 'PAY-77c1')
  payment_reference?: string | null;

  @ApiProperty({
    type: 'number',
    minimum: 0.01,
    description: 'Decimal naira with at most 2 decimal places by value; converted to kobo exactly.',
    example: 1050.55,
  })
  amount: number;

  @ApiProperty({ type: 'number', required: false, nullable: true, description: 'Accepted.', example: 10.5 })
  fee?: number | null;

  @ApiTextProperty('Exactly 3 characters. Other than NGN: recorded and held, not credited.', 'NGN', {
    minLength: 3,
    maxLength: 3,
  })
  currency: string;

  @Optionally('Accepted.', 'bank_transfer')
  payment_method?: string | null;

  @Optionally(
    'Credited whatever it says, but for `failed`, `reversed`, `pending` and `processing` (any case), which contradict the event: recorded and held, not credited.',
    'success',
  )
  status?: string | null;

  @Optionally('Kept on the ledger entry; past 1,000 characters it is cut.', 'Groceries for November')
  narration?: string | null;

  @Optionally(
    'A date of ISO 8601, with or without a time of day, or `YYYY-MM-DD HH:MM:SS`.',
    '2026-11-21T06:30:00Z',
  )
  transaction_date?: string | null;

  @ApiObjectProperty(PayerBankAccount, 'Where the money came from.', { required: false, nullable: true })
  payer_bank_account?: PayerBankAccount | null;

  @ApiObjectProperty(PaidBankAccount, 'Where the money arrived.')
  virtual_bank_account: PaidBankAccount;

  @ApiObjectProperty(PayingCustomer, 'Accepted.', { required: false, nullable: true })
  customer?: PayingCustomer | null;
}

@ApiExtraModels(ChargeData)
export class ChargeSucceededRequest {
  @ApiConstantProperty('charge.success')
  event: 'charge.success';

  @ApiObjectProperty(ChargeData, 'The transfer.')
  data: ChargeData;
}

export class OtherBankEventRequest {
  @ApiProperty({
    type: 'string',
    not: { enum: ['charge.success'] },
    description: 'Acknowledged without effect; `data` is not looked at.',
    example: 'charge.failed',
  })
  event: string;
}
