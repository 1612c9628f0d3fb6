import { ApiProperty } from '@nestjs/swagger';
import {
  Amount,
  ApiField,
  Digits,
  ExactText,
  NairaAlone,
  Name,
  Optional,
  Text,
  Uuid,
} from '../../../platform/http/api/fields.js';
import {
  ApiEnumProperty,
  ApiBooleanProperty,
  ApiIdProperty,
  ApiKoboProperty,
  ApiListProperty,
  ApiObjectProperty,
  ApiTextProperty,
  ApiTimeProperty,
  OR_NULL,
  Success,
} from '../../../platform/http/api/response-properties.js';
import { type BlockReason, BLOCK_REASONS } from '../../../kernel/errors.js';
import type { Kobo } from '../../../kernel/money.js';
import { merchantIdentity } from '../../../kernel/text.js';
import type { PaymentDetails } from '../payments.events.js';
import { GUARD_MINUTES_MAX } from '../rules/duplicate-guard/duplicate-guard.domain.js';
import type { Decision } from '../payments.domain.js';
import { PaymentAttemptView, DECISIONS, WaitingFor } from '../payments.dto.js';

export const DUPLICATE_GUARD_HEADER = {
  name: 'Duplicate-Guard-Minutes',
  required: false,
  description:
    'Asks for the duplicate-purchase guard where the owner of the wallet did not choose: what the same key paid to the ' +
    'same account within so many minutes is not paid again by accident. Send it with every payment: one that was made ' +
    'without it is not compared with.',
  schema: { type: 'integer', minimum: 1, maximum: GUARD_MINUTES_MAX, examples: [10] },
} as const;

export interface PaymentHeaders {
  readonly 'idempotency-key'?: string;
  readonly 'duplicate-guard-minutes'?: string;
}

/** In characters. */
export const RUN_ID_MAX = 100;
const RATIONALE_MAX = 1_000;

export class PaymentIntentRequest {
  @ApiField('In kobo.', 40_000)
  @Amount()
  amount: Kobo;

  @ApiField(
    'Compared with the allowlist regardless of case and of spaces around and between words.',
    'Shoprite',
  )
  @Name(3, 200)
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

  @Optional()
  @ApiField(
    'The run of the agent that the payment belongs to: groups its payments. An API key can require it.',
    'run-2026-11-28-0417',
  )
  @Name(1, RUN_ID_MAX)
  runId?: string | null;

  @Optional()
  @ApiField(
    'Why the agent makes this payment, in its own words. An API key can require it.',
    'Milk is below two litres and the office opens at 8.',
  )
  @Text(1, RATIONALE_MAX)
  rationale?: string | null;

  @Optional()
  @ApiField(
    'The payment that this one repeats on purpose: the duplicateOf of a POSSIBLE_DUPLICATE.',
    '019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f',
  )
  @Uuid()
  confirmSecondPurchase?: string | null;

  @NairaAlone()
  currency?: 'NGN' | null;
}

export function detailsIn(request: PaymentIntentRequest): PaymentDetails {
  return {
    amount: request.amount,
    merchant: merchantIdentity(request.merchantName),
    merchantName: request.merchantName,
    recipientAccountNo: request.recipientAccountNo,
    recipientBankCode: request.recipientBankCode,
    reason: request.reason ?? null,
    runId: request.runId ?? null,
    rationale: request.rationale ?? null,
  };
}

export class ApprovedTransaction extends PaymentAttemptView {
  @ApiEnumProperty(['approved'], 'All six checks passed.')
  decision: 'approved';

  @ApiProperty({ type: 'null', description: 'Null: nothing blocked it.', example: null })
  blockReason: null;
}

export class SettlementReference {
  @ApiIdProperty('The reference of the transfer at the bank.')
  reference: string;
}

class Payment {
  @ApiObjectProperty(ApprovedTransaction, 'The payment. The wallet is debited.')
  transaction: ApprovedTransaction;

  @ApiObjectProperty(SettlementReference, 'The transfer to the recipient; the history shows its status.')
  settlement: SettlementReference;
}

export class QuotedCheck {
  @ApiEnumProperty(BLOCK_REASONS, 'The code that it blocks with.')
  check: BlockReason;

  @ApiBooleanProperty('Whether it passes; the checks after the first failure are evaluated too.', true)
  passed: boolean;

  @ApiProperty({
    type: 'object',
    additionalProperties: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
    description: 'What was compared: `limit` is what the check allows, `actual` what was found.',
    example: { limit: 50_000, actual: 40_000 },
  })
  compared: Readonly<Record<string, string | number>>;
}

class Quote {
  @ApiEnumProperty(DECISIONS, 'What would be decided now; `pending`: the payment would wait for approval.')
  decision: Decision;

  @ApiEnumProperty(BLOCK_REASONS, 'The first check that fails; null when all pass.', OR_NULL)
  blockReason: BlockReason | null;

  @ApiTextProperty(
    'Why it would be blocked; null when all pass.',
    'The wallet is not active (SUSPENDED).',
    OR_NULL,
  )
  message: string | null;

  @ApiListProperty(QuotedCheck, 'Every check that applies, in order.')
  checks: readonly QuotedCheck[];

  @ApiTimeProperty('When the quote was made.')
  at: string;

  @ApiKoboProperty('The balance after the payment; the present balance when it would be blocked.', 65_055)
  balanceAfter: number;

  @ApiKoboProperty('The largest amount that would pass now; 0 when none would.', 50_000)
  maxAmountNow: number;

  @ApiTimeProperty(
    'The earliest time at which it would pass if nothing else changes. Null when it passes now, or when waiting alone ' +
      'does not help; absent when it could not be determined.',
    { ...OR_NULL, required: false },
  )
  earliestPassAt?: string | null;

  @ApiTextProperty(
    'What to do instead, in one sentence; null when it passes now.',
    'At most ₦3,200.00 now; ₦5,000.00 passes after 14:05 WAT.',
    OR_NULL,
  )
  hint: string | null;
}

export class QuoteResponse extends Success(Quote) {}

export class PaymentResponse extends Success(Payment) {}

export class PendingTransaction extends PaymentAttemptView {
  @ApiEnumProperty(['pending'], 'All checks passed; the owner has to approve it.')
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
