import { ApiProperty } from '@nestjs/swagger';
import { Amount, ApiField, Digits, ExactText, Optional, Text } from '../../../platform/http/fields.js';
import {
  ApiChoiceProperty,
  ApiIdProperty,
  ApiObjectProperty,
  Success,
} from '../../../platform/http/shown.js';
import type { Kobo } from '../../../kernel/money.js';
import { Attempt, WaitingFor } from '../payments.dto.js';

export class PaymentIntentRequest {
  @ApiField('In kobo.', 40_000)
  @Amount()
  amount: Kobo;

  @ApiField(
    'Compared with the allowlist regardless of case and of spaces around and between words.',
    'Shoprite',
  )
  @Text(3, 200)
  merchantName: string;

  @ApiField("The recipient's account number.", '0123456789')
  @Digits(10)
  recipientAccountNo: string;

  @ApiField("The code of the recipient's bank.", '044')
  @Digits(3)
  recipientBankCode: string;

  @Optional()
  @ApiField('What the payment is for.', 'Milk and bread')
  @ExactText(0, 200)
  reason?: string | null;
}

export class ApprovedTransaction extends Attempt {
  @ApiChoiceProperty(['approved'], 'All six checks passed.')
  decision: 'approved';

  @ApiProperty({ type: 'null', description: 'Null: nothing blocked it.', example: null })
  blockReason: null;
}

export class SettlementReference {
  @ApiIdProperty('Under which the bank is told to pay.')
  reference: string;
}

class Payment {
  @ApiObjectProperty(ApprovedTransaction, 'The payment. The wallet is debited.')
  transaction: ApprovedTransaction;

  @ApiObjectProperty(SettlementReference, 'The transfer to the recipient; the history shows how it goes on.')
  settlement: SettlementReference;
}

export class PaymentResponse extends Success(Payment) {}

export class PendingTransaction extends Attempt {
  @ApiChoiceProperty(['pending'], 'All checks passed; a person decides.')
  decision: 'pending';

  @ApiProperty({ type: 'null', description: 'Null: nothing blocked it.', example: null })
  blockReason: null;
}

class PendingPayment {
  @ApiObjectProperty(PendingTransaction, 'The payment. Its amount is held, and nothing has moved.')
  transaction: PendingTransaction;

  @ApiObjectProperty(WaitingFor, 'What it waits for.')
  approval: WaitingFor;
}

export class PendingPaymentResponse extends Success(PendingPayment) {}
