import { ApiParam } from '@nestjs/swagger';
import {
  ApiIdProperty,
  ApiKoboProperty,
  ApiTextProperty,
  ApiTimeProperty,
  OR_NULL,
} from '../../platform/http/api/response-properties.js';
import { isoText } from '../../kernel/time.js';
import { type ApprovalStatus, givenDetails } from './payments.events.js';
import { type Decision, decisionOf } from './payments.domain.js';
import type { Transaction } from './payments.port.js';

export const DECISIONS = ['approved', 'blocked', 'pending'] as const satisfies readonly Decision[];
export const APPROVAL_STATUSES = [
  'pending',
  'approved',
  'denied',
  'expired',
] as const satisfies readonly ApprovalStatus[];

export const STATUS_MEANS =
  'The final status. `failed` was refunded; `returned` was sent back by the bank, and is refunded once `settlement.refundedAt` is a time; `denied` was blocked by the owner, `expired` because no decision was made in time.';

export const REQUESTED_AT_MEANS = 'When it was requested; decided at once, unless it waited for the owner.';

export const TransactionIdParam = () =>
  ApiParam({
    name: 'transactionId',
    description: 'The id of the attempt.',
    schema: { type: 'string', format: 'uuid' },
  });

export class PaymentAttemptView {
  @ApiIdProperty('The attempt; for an approved one also the reference of its settlement.')
  id: string;

  @ApiIdProperty('The wallet.')
  walletId: string;

  @ApiKoboProperty('The amount.', 40_000, { minimum: 1 })
  amount: number;

  @ApiTextProperty('As supplied, trimmed.', 'Shoprite')
  merchantName: string;

  @ApiTextProperty("The recipient's account number.", '0123456789', { pattern: '^[0-9]{10}$' })
  recipientAccountNo: string;

  @ApiTextProperty("The code of the recipient's bank.", '044', { pattern: '^[0-9]{3}$' })
  recipientBankCode: string;

  @ApiTextProperty('As supplied by the caller, also of a blocked attempt.', 'Milk and bread', OR_NULL)
  reason: string | null;

  @ApiTextProperty(
    'The purpose of the key that was used; only present where its owner gave it one.',
    'Groceries',
    {
      required: false,
    },
  )
  purpose?: string;

  @ApiTextProperty('The run of the agent that it belongs to; only present where it was given.', 'run-0417', {
    required: false,
  })
  runId?: string;

  @ApiTextProperty(
    'Why the agent made it, in its own words; only present where it was given.',
    'Milk is below two litres.',
    { required: false },
  )
  rationale?: string;

  @ApiTimeProperty(REQUESTED_AT_MEANS)
  createdAt: string;
}

export function presentAttempt(transaction: Transaction) {
  return {
    id: transaction.id,
    walletId: transaction.walletId,
    amount: transaction.amount,
    merchantName: transaction.merchantName,
    recipientAccountNo: transaction.recipientAccountNo,
    recipientBankCode: transaction.recipientBankCode,
    decision: decisionOf(transaction),
    reason: transaction.reason,
    blockReason: transaction.blockReason,
    ...(transaction.purpose !== null && { purpose: transaction.purpose }),
    ...givenDetails(transaction),
    // Formatted here: JSON.stringify is twice as slow with a Date.
    createdAt: isoText(transaction.createdAt),
  };
}

export class WaitingFor {
  @ApiIdProperty('The approval; also the id of the payment.')
  id: string;

  @ApiTimeProperty('When it expires: from then on it can not be approved, and the payment is blocked.')
  expiresAt: Date;
}

export function waitingFor({ id, approval, approvalExpiresAt }: Transaction): { approval?: WaitingFor } {
  if (approval !== 'pending' || !approvalExpiresAt) return {};
  return { approval: { id, expiresAt: approvalExpiresAt } };
}
