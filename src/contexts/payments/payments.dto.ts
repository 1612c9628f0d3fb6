import { ApiProperty } from '@nestjs/swagger';
import { ApiField, Amount, Digits, ExactText, Optional, Text } from '../../platform/http/fields.js';
import { PageOf } from '../../platform/http/pagination.js';
import {
  OR_NULL,
  ApiChoiceProperty,
  ApiConstantProperty,
  ApiIdProperty,
  ApiKoboProperty,
  ApiListProperty,
  ApiObjectProperty,
  ApiTextProperty,
  ApiTimeProperty,
  ApiWholeProperty,
  Success,
} from '../../platform/http/shown.js';
import type { SettlementStatus } from '../settlement/settlement.port.js';
import type { Kobo } from '../../kernel/money.js';
import type { BlockReason } from './payments.events.js';
import { type AuditEvent as Step, CHECKS } from './payments.domain.js';

const BLOCK_REASONS: readonly BlockReason[] = CHECKS.map(({ blockedAs }) => blockedAs);
const SETTLEMENT_STATUSES: SettlementStatus[] = ['succeeded', 'pending', 'processing', 'failed', 'reversed'];
const AUDIT_TYPES = [
  'check.passed',
  'check.failed',
  'settlement.started',
  'settlement.succeeded',
  'settlement.failed',
  'refund.posted',
];

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

type Decided = 'approved' | 'blocked';

/** An attempt to pay, approved or blocked. */
class Attempt {
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

  @ApiTimeProperty('When it was decided.')
  createdAt: Date;
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

export class Payment {
  @ApiObjectProperty(ApprovedTransaction, 'The payment. The wallet is debited.')
  transaction: ApprovedTransaction;

  @ApiObjectProperty(SettlementReference, 'The transfer to the recipient; the history shows how it goes on.')
  settlement: SettlementReference;
}

export class PaymentResponse extends Success(Payment) {}

export class AuditDetail {
  @ApiChoiceProperty(BLOCK_REASONS, 'Of a check: the code it blocks with.', { required: false })
  check?: BlockReason;

  @ApiProperty({
    required: false,
    oneOf: [{ type: 'integer' }, { type: 'string' }],
    description: 'Of a check: what it allows, in kobo, as a status or as a time.',
    example: 50_000,
  })
  limit?: string | number;

  @ApiProperty({
    required: false,
    oneOf: [{ type: 'integer' }, { type: 'string' }],
    description: 'Of a check: what was found.',
    example: 40_000,
  })
  actual?: string | number;

  @ApiTextProperty('Of a failed settlement: what the bank said.', 'the account is closed', {
    required: false,
  })
  why?: string;

  @ApiKoboProperty('Of a refund: what was given back.', 40_000, { required: false })
  amount?: number;
}

export class AuditEvent {
  @ApiChoiceProperty(AUDIT_TYPES, 'What happened.')
  type: string;

  @ApiTimeProperty('When.')
  at: string;

  @ApiObjectProperty(AuditDetail, 'What was compared, or what the bank said.')
  detail: Step['detail'];
}

export class Settlement {
  @ApiIdProperty('Under which the bank is told to pay.')
  reference: string;

  @ApiChoiceProperty(
    SETTLEMENT_STATUSES,
    'How far the transfer is. After `failed` and `reversed` the wallet is refunded.',
  )
  status: SettlementStatus;
}

export class Transaction extends Attempt {
  @ApiTextProperty('The identity of the merchant: how names are compared.', 'shoprite')
  merchant: string;

  @ApiChoiceProperty(['approved', 'blocked'], 'Set once.')
  decision: Decided;

  @ApiChoiceProperty(BLOCK_REASONS, 'The check that blocked it; null when approved.', OR_NULL)
  blockReason: BlockReason | null;

  @ApiListProperty(AuditEvent, 'Each step, in order: the checks up to a failing one, then the settlement.')
  auditEvents: readonly AuditEvent[];

  @ApiObjectProperty(Settlement, 'The transfer to the recipient; null when blocked.', OR_NULL)
  settlement: Settlement | null;
}

export class TransactionResponse extends Success(Transaction) {}

export class TransactionPage extends PageOf(Transaction) {}

export class RecentTransaction extends Attempt {
  @ApiTextProperty('The identity of the merchant: how names are compared.', 'shoprite')
  merchant: string;

  @ApiChoiceProperty(['approved', 'blocked'], 'Set once.')
  decision: Decided;

  @ApiChoiceProperty(BLOCK_REASONS, 'The check that blocked it; null when approved.', OR_NULL)
  blockReason: BlockReason | null;
}

export class RecentResponse {
  @ApiConstantProperty(true)
  success: true;

  @ApiListProperty(RecentTransaction, 'Newest first.')
  data: RecentTransaction[];
}

export class CompactTransaction {
  @ApiKoboProperty('The amount.', 40_000, { minimum: 1 })
  amount: number;

  @ApiTextProperty('The identity of the merchant.', 'shoprite')
  merchant: string;

  @ApiChoiceProperty(['approved', 'blocked'], 'What was decided.')
  decision: Decided;

  @ApiTextProperty(
    `Approved: the caller's reason. Blocked: why, one of ${CHECKS.map(({ compact }) => `\`${compact}\``).join(', ')}.`,
    'Milk and bread',
    OR_NULL,
  )
  reason: string | null;

  @ApiTimeProperty('When it was decided.')
  createdAt: Date;
}

export class WalletStats {
  @ApiKoboProperty('What can be spent.', 65_055)
  balance: number;

  @ApiKoboProperty('The most one payment may be.', 50_000)
  spendLimitPerTx: number;

  @ApiKoboProperty('The most that may be spent within the window.', 120_000)
  spendLimitPeriod: number;

  @ApiKoboProperty('Approved and not refunded spend of the last periodWindowDays × 24 hours.', 40_000)
  spentThisPeriod: number;

  @ApiWholeProperty('spendLimitPeriod minus spentThisPeriod, in kobo.', 80_000)
  remainingAllowance: number;
}

export class StatsOfWallet extends WalletStats {
  @ApiIdProperty('The wallet.')
  walletId: string;
}

export class WalletsStatsResponse {
  @ApiConstantProperty(true)
  success: true;

  @ApiListProperty(StatsOfWallet, 'Of each wallet, newest first.')
  data: StatsOfWallet[];
}

export class DayOfSpending {
  @ApiTextProperty('The date in the time zone asked for.', '2026-11-21', { format: 'date' })
  day: string;

  @ApiWholeProperty('Approved and not refunded spend, in kobo.', 40_000)
  spent: number;

  @ApiWholeProperty('How many attempts were approved.', 1, { minimum: 0 })
  approved: number;

  @ApiWholeProperty('How many attempts were blocked.', 2, { minimum: 0 })
  blocked: number;
}

export class DaysResponse {
  @ApiConstantProperty(true)
  success: true;

  @ApiListProperty(DayOfSpending, 'One for each day, oldest first.')
  data: DayOfSpending[];
}

export class ResolveRequest {
  @ApiField("The recipient's account number.", '0123456789')
  @Digits(10)
  accountNumber: string;

  @ApiField("The code of the recipient's bank.", '044')
  @Digits(3)
  bankCode: string;
}

export class ResolvedAccount {
  @ApiTextProperty('Who holds the account, as the bank says.', 'CHIDI OKAFOR')
  accountName: string;
}

export class PayableBank {
  @ApiTextProperty('What `recipientBankCode` takes.', '044')
  code: string;

  @ApiTextProperty('The name of the bank.', 'Access Bank')
  name: string;
}
