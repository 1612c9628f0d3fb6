import { ApiProperty } from '@nestjs/swagger';
import { About, Amount, Digits, ExactText, Optional, Text } from '../http/fields.js';
import { PageOf } from '../http/pagination.js';
import {
  OR_NULL,
  ShownChoice,
  ShownConstant,
  ShownId,
  ShownKobo,
  ShownList,
  ShownObject,
  ShownText,
  ShownTime,
  ShownWhole,
  Success,
} from '../http/shown.js';
import type { SettlementStatus } from '../settlement/settlement.contract.js';
import type { Kobo } from '../shared/money.js';
import type { BlockReason } from './payments.contract.js';
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

export class PaymentIntentBody {
  @About('In kobo.', 40_000)
  @Amount()
  amount: Kobo;

  @About('Compared with the allowlist regardless of case and of spaces around and between words.', 'Shoprite')
  @Text(3, 200)
  merchantName: string;

  @About("The recipient's account number.", '0123456789')
  @Digits(10)
  recipientAccountNo: string;

  @About("The code of the recipient's bank.", '044')
  @Digits(3)
  recipientBankCode: string;

  @Optional()
  @About('What the payment is for.', 'Milk and bread')
  @ExactText(0, 200)
  reason?: string | null;
}

type Decided = 'approved' | 'blocked';

/** An attempt to pay, approved or blocked. */
class Attempt {
  @ShownId('The attempt; for an approved one also the reference of its settlement.')
  id: string;

  @ShownId('The wallet.')
  walletId: string;

  @ShownKobo('The amount.', 40_000, { minimum: 1 })
  amount: number;

  @ShownText('As supplied, trimmed.', 'Shoprite')
  merchantName: string;

  @ShownText("The recipient's account number.", '0123456789', { pattern: '^[0-9]{10}$' })
  recipientAccountNo: string;

  @ShownText("The code of the recipient's bank.", '044', { pattern: '^[0-9]{3}$' })
  recipientBankCode: string;

  @ShownText('As supplied by the caller, also of a blocked attempt.', 'Milk and bread', OR_NULL)
  reason: string | null;

  @ShownTime('When it was decided.')
  createdAt: Date;
}

export class ApprovedTransaction extends Attempt {
  @ShownChoice(['approved'], 'All six checks passed.')
  decision: 'approved';

  @ApiProperty({ type: 'null', description: 'Null: nothing blocked it.', example: null })
  blockReason: null;
}

export class SettlementReference {
  @ShownId('Under which the bank is told to pay.')
  reference: string;
}

export class Payment {
  @ShownObject(ApprovedTransaction, 'The payment. The wallet is debited.')
  transaction: ApprovedTransaction;

  @ShownObject(SettlementReference, 'The transfer to the recipient; the history shows how it goes on.')
  settlement: SettlementReference;
}

export class PaymentAnswer extends Success(Payment) {}

export class AuditDetail {
  @ShownChoice(BLOCK_REASONS, 'Of a check: the code it blocks with.', { required: false })
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

  @ShownText('Of a failed settlement: what the bank said.', 'the account is closed', { required: false })
  why?: string;

  @ShownKobo('Of a refund: what was given back.', 40_000, { required: false })
  amount?: number;
}

export class AuditEvent {
  @ShownChoice(AUDIT_TYPES, 'What happened.')
  type: string;

  @ShownTime('When.')
  at: string;

  @ShownObject(AuditDetail, 'What was compared, or what the bank said.')
  detail: Step['detail'];
}

export class Settlement {
  @ShownId('Under which the bank is told to pay.')
  reference: string;

  @ShownChoice(
    SETTLEMENT_STATUSES,
    'How far the transfer is. After `failed` and `reversed` the wallet is refunded.',
  )
  status: SettlementStatus;
}

export class Transaction extends Attempt {
  @ShownText('The identity of the merchant: how names are compared.', 'shoprite')
  merchant: string;

  @ShownChoice(['approved', 'blocked'], 'Set once.')
  decision: Decided;

  @ShownChoice(BLOCK_REASONS, 'The check that blocked it; null when approved.', OR_NULL)
  blockReason: BlockReason | null;

  @ShownList(AuditEvent, 'Each step, in order: the checks up to a failing one, then the settlement.')
  auditEvents: readonly AuditEvent[];

  @ShownObject(Settlement, 'The transfer to the recipient; null when blocked.', OR_NULL)
  settlement: Settlement | null;
}

export class TransactionAnswer extends Success(Transaction) {}

export class TransactionPage extends PageOf(Transaction) {}

export class RecentTransaction extends Attempt {
  @ShownText('The identity of the merchant: how names are compared.', 'shoprite')
  merchant: string;

  @ShownChoice(['approved', 'blocked'], 'Set once.')
  decision: Decided;

  @ShownChoice(BLOCK_REASONS, 'The check that blocked it; null when approved.', OR_NULL)
  blockReason: BlockReason | null;
}

export class RecentAnswer {
  @ShownConstant(true)
  success: true;

  @ShownList(RecentTransaction, 'Newest first.')
  data: RecentTransaction[];
}

export class CompactTransaction {
  @ShownKobo('The amount.', 40_000, { minimum: 1 })
  amount: number;

  @ShownText('The identity of the merchant.', 'shoprite')
  merchant: string;

  @ShownChoice(['approved', 'blocked'], 'What was decided.')
  decision: Decided;

  @ShownText(
    `Approved: the caller's reason. Blocked: why, one of ${CHECKS.map(({ compact }) => `\`${compact}\``).join(', ')}.`,
    'Milk and bread',
    OR_NULL,
  )
  reason: string | null;

  @ShownTime('When it was decided.')
  createdAt: Date;
}

export class WalletStats {
  @ShownKobo('What can be spent.', 65_055)
  balance: number;

  @ShownKobo('The most one payment may be.', 50_000)
  spendLimitPerTx: number;

  @ShownKobo('The most that may be spent within the window.', 120_000)
  spendLimitPeriod: number;

  @ShownKobo('Approved and not refunded spend of the last periodWindowDays × 24 hours.', 40_000)
  spentThisPeriod: number;

  @ShownWhole('spendLimitPeriod minus spentThisPeriod, in kobo.', 80_000)
  remainingAllowance: number;
}

export class StatsOfWallet extends WalletStats {
  @ShownId('The wallet.')
  walletId: string;
}

export class WalletsStatsAnswer {
  @ShownConstant(true)
  success: true;

  @ShownList(StatsOfWallet, 'Of each wallet, newest first.')
  data: StatsOfWallet[];
}

export class DayOfSpending {
  @ShownText('The date in the time zone asked for.', '2026-11-21', { format: 'date' })
  day: string;

  @ShownWhole('Approved and not refunded spend, in kobo.', 40_000)
  spent: number;

  @ShownWhole('How many attempts were approved.', 1, { minimum: 0 })
  approved: number;

  @ShownWhole('How many attempts were blocked.', 2, { minimum: 0 })
  blocked: number;
}

export class DaysAnswer {
  @ShownConstant(true)
  success: true;

  @ShownList(DayOfSpending, 'One for each day, oldest first.')
  data: DayOfSpending[];
}

export class ResolveBody {
  @About("The recipient's account number.", '0123456789')
  @Digits(10)
  accountNumber: string;

  @About("The code of the recipient's bank.", '044')
  @Digits(3)
  bankCode: string;
}

export class ResolvedAccount {
  @ShownText('Who holds the account, as the bank says.', 'CHIDI OKAFOR')
  accountName: string;
}

export class PayableBank {
  @ShownText('What `recipientBankCode` takes.', '044')
  code: string;

  @ShownText('The name of the bank.', 'Access Bank')
  name: string;
}
