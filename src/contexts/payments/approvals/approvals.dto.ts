import { ApiProperty } from '@nestjs/swagger';
import { type BlockReason, BLOCK_REASONS, validationError } from '../../../kernel/errors.js';
import { ApiField, EMAIL_FORMAT, Optional, Text } from '../../../platform/http/api/fields.js';
import { PageOf, PageQuery } from '../../../platform/http/api/pagination.js';
import { Parameter, WordParameter } from '../../../platform/http/api/query.js';
import {
  ApiBooleanProperty,
  ApiEnumProperty,
  ApiIdProperty,
  ApiIntegerProperty,
  ApiKoboProperty,
  ApiObjectProperty,
  ApiStringsProperty,
  ApiTextProperty,
  ApiTimeProperty,
  OR_NULL,
  Success,
} from '../../../platform/http/api/response-properties.js';
import { OptionalBody } from '../../../platform/http/api/validation.pipe.js';
import { type Decision, PAYMENT_STATUSES, type PaymentStatus } from '../payments.domain.js';
import {
  APPROVAL_STATUSES,
  PaymentAttemptView,
  DECISIONS,
  presentAttempt,
  STATUS_MEANS,
} from '../payments.dto.js';
import type { ApprovalStatus } from '../payments.events.js';
import { APPROVAL_SORTS, type ApprovalSort, EARLIER_ATTEMPTS_MAX, type Review } from './approvals.domain.js';
import { PayingKey } from '../transactions/transactions.dto.js';

const NOTE_MAX = 500;

export class ApprovalsQuery extends PageQuery {
  @WordParameter(
    APPROVAL_SORTS,
    'The order: newest first, or, of pending ones, what expires soonest first.',
    APPROVAL_SORTS[0],
  )
  readonly sort: ApprovalSort = APPROVAL_SORTS[0];

  @WordParameter(APPROVAL_STATUSES, 'Only these approvals; the totals are theirs.')
  readonly status?: ApprovalStatus;

  @Parameter(
    ({ walletId }) => {
      if (typeof walletId === 'string') return walletId;
      throw validationError({ field: 'walletId', message: 'must be one id' });
    },
    { description: 'Only those of this wallet.', type: 'string', format: 'uuid' },
  )
  readonly walletId?: string;
}

@OptionalBody()
export class DecideApprovalRequest {
  @Optional()
  @ApiField('Why; kept with the payment and shown to the agent.', 'Agreed with the office manager')
  @Text(1, NOTE_MAX)
  note?: string | null;
}

class ReviewedPayment extends PaymentAttemptView {
  @ApiEnumProperty(PAYMENT_STATUSES, STATUS_MEANS)
  status: PaymentStatus;

  @ApiTextProperty('The identity of the merchant: how names are compared.', 'shoprite')
  merchant: string;

  @ApiEnumProperty(DECISIONS, '`pending` while it waits, then final.')
  decision: Decision;

  @ApiEnumProperty(BLOCK_REASONS, 'Null unless it was denied or expired.', OR_NULL)
  blockReason: BlockReason | null;

  @ApiObjectProperty(
    PayingKey,
    'The key that asked for it; absent of attempts from before keys were noted.',
    {
      required: false,
    },
  )
  key?: PayingKey;
}

class PaidBefore {
  @ApiIntegerProperty('How many earlier payments of this wallet reached this account.', 3, { minimum: 0 })
  payments: number;

  @ApiTimeProperty('When the last of them was requested; null: there is none.', OR_NULL)
  lastAt: Date | null;

  @ApiTimeProperty(
    `Where the search began: the ${EARLIER_ATTEMPTS_MAX} attempts before this one; null: all were searched.`,
    OR_NULL,
  )
  since: Date | null;
}

export class Approval {
  @ApiIdProperty('The approval; also the id of the payment.')
  id: string;

  @ApiIdProperty('The wallet that holds the amount while it is pending.')
  walletId: string;

  @ApiEnumProperty(APPROVAL_STATUSES, '`expired`: no decision was made in time.')
  status: ApprovalStatus;

  @ApiTimeProperty('When it expires: from then on it can not be approved.')
  expiresAt: Date;

  @ApiTimeProperty('Null while it is pending.', OR_NULL)
  decidedAt: Date | null;

  @ApiIdProperty('The user who decided; null while it is pending, and when it expired.', OR_NULL)
  decidedBy: string | null;

  @ApiTextProperty('Their e-mail; absent where nobody decided.', 'ben@example.ng', {
    required: false,
    format: EMAIL_FORMAT,
  })
  decidedByEmail?: string;

  @ApiKoboProperty(
    'Payments above it wait for a decision, as was set when it was requested; absent where it was not noted.',
    50_000,
    { required: false },
  )
  threshold?: number;

  @ApiObjectProperty(PaidBefore, 'Whether the account was paid before; there where one approval is read.', {
    required: false,
  })
  paidBefore?: PaidBefore;

  @ApiStringsProperty('The member who approved, while a second one is missing; else absent.', [
    '019aa4b2-7c10-7d3e-9a51-3f0c2b1d4e5f',
  ])
  @ApiProperty({ required: false })
  approvedBy?: readonly string[];

  @ApiBooleanProperty('Whether it takes the approval of two members; only there while it does.', true)
  @ApiProperty({ required: false })
  takesTwo?: true;

  @ApiKoboProperty('While it takes two: above this, of the key or the wallet.', 1_000_000, {
    required: false,
  })
  secondApprovalAbove?: number;

  @ApiIdProperty('While it takes two: who made the key that asked, and can be neither of them.')
  @ApiProperty({ required: false })
  notBy?: string;

  @ApiTextProperty('The note of the user who decided.', 'Agreed with the office manager', OR_NULL)
  note: string | null;

  @ApiTimeProperty('When the payment was requested.')
  createdAt: Date;

  @ApiObjectProperty(ReviewedPayment, 'The payment.')
  transaction: ReviewedPayment;
}

class OneApproval {
  @ApiObjectProperty(Approval, 'The approval as it is now.')
  approval: Approval;
}

export class ApprovalResponse extends Success(OneApproval) {}
export class ApprovalsResponse extends PageOf(Approval) {}

export function presentApproval({
  transaction,
  status,
  approvedBy,
  byTwo,
  key,
  decidedByEmail,
  paidBefore,
}: Review): Approval {
  const { id, walletId, createdAt, merchant, facts } = transaction;
  return {
    id,
    walletId,
    status: transaction.approval,
    expiresAt: transaction.approvalExpiresAt,
    decidedAt: transaction.approvalDecidedAt,
    decidedBy: transaction.approvalDecidedBy,
    ...(decidedByEmail !== undefined && { decidedByEmail }),
    ...(facts.approval && { threshold: facts.approval.threshold }),
    ...(paidBefore && { paidBefore }),
    ...(approvedBy && { approvedBy }),
    ...(byTwo && { takesTwo: true as const, secondApprovalAbove: byTwo.secondAbove ?? 0 }),
    ...(byTwo?.requesterId && { notBy: byTwo.requesterId }),
    note: transaction.approvalNote,
    createdAt,
    transaction: { ...presentAttempt(transaction), status, merchant, ...(key && { key }) },
  };
}
