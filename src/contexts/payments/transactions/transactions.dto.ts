import { ApiProperty } from '@nestjs/swagger';
import { type BlockReason, BLOCK_REASONS } from '../../../kernel/errors.js';
import { kobo, nairaFromKobo } from '../../../kernel/money.js';
import type { Column } from '../../../platform/http/api/csv.js';
import { PageOf } from '../../../platform/http/api/pagination.js';
import {
  ApiEnumProperty,
  ApiIdProperty,
  ApiKoboProperty,
  ApiListProperty,
  ApiObjectProperty,
  ApiTextProperty,
  ApiTimeProperty,
  ListOf,
  OR_NULL,
  Success,
} from '../../../platform/http/api/response-properties.js';
import { bankNameOf } from '../../bank/bank-names.port.js';
import type { SettlementStatus } from '../../settlement/settlement.port.js';
import { type AuditEvent as Step, compactReason } from '../checks/decide.domain.js';
import { type Decision, decisionOf, PAYMENT_STATUSES, type PaymentStatus } from '../payments.domain.js';
import {
  PaymentAttemptView,
  DECISIONS,
  presentAttempt,
  REQUESTED_AT_MEANS,
  STATUS_MEANS,
  WaitingFor,
  waitingFor,
} from '../payments.dto.js';
import { KEY_LIMITS } from '../rules/key-limits/key-limits.domain.js';
import type { NamedEntry } from './search.service.js';
import type { TransactionEntry } from './transactions.service.js';

const SETTLEMENT_STATUSES: SettlementStatus[] = ['succeeded', 'pending', 'processing', 'failed', 'reversed'];
const AUDIT_TYPES = [
  'check.passed',
  'check.failed',
  'check.warned',
  'approval.requested',
  'approval.approved',
  'approval.denied',
  'approval.expired',
  'settlement.started',
  'settlement.succeeded',
  'settlement.failed',
  'refund.posted',
];

class AuditDetail {
  @ApiEnumProperty(BLOCK_REASONS, 'Of a check: the code it blocks with.', { required: false })
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

  @ApiIdProperty('Of the duplicate-purchase guard: the payment that this one repeats.', { required: false })
  duplicateOf?: string;

  @ApiEnumProperty(KEY_LIMITS.map(({ variant }) => variant), 'Of a limit of the key: its name.', {
    required: false,
  })
  keyLimit?: string;

  @ApiEnumProperty(['first_use', 'strict', 'warn'], 'Of the check of a payee: what the wallet asks for.', {
    required: false,
  })
  payeePolicy?: string;

  @ApiEnumProperty(['key', 'payee', 'key, payee'], 'Of a cooling-off check: what is new.', {
    required: false,
  })
  coolingOff?: string;

  @ApiTimeProperty('Of a cooling-off check that failed: when the payment would pass.', { required: false })
  earliestPassAt?: string;

  @ApiTextProperty('Of a failed settlement: the reason that the bank gave.', 'the account is closed', {
    required: false,
  })
  reason?: string;

  @ApiTextProperty('Deprecated, removed in the next release: read `reason`.', 'the account is closed', {
    required: false,
    deprecated: true,
  })
  why?: string;

  @ApiTextProperty(
    'Of a settlement that succeeded: the NIP session id, where the bank gave one.',
    '000014261121063000123456789012',
    { required: false },
  )
  sessionId?: string;

  @ApiTextProperty('Of an approval: the note of the owner.', 'Agreed with the office manager', {
    required: false,
  })
  note?: string;

  @ApiIdProperty('Of an approval, to members of the account: the user who decided.', { required: false })
  decidedBy?: string;

  @ApiKoboProperty('Of a refund: what was given back.', 40_000, { required: false })
  amount?: number;
}

export class AuditEventView {
  @ApiEnumProperty(AUDIT_TYPES, 'What happened.')
  type: string;

  @ApiTimeProperty('When.')
  at: string;

  @ApiObjectProperty(AuditDetail, 'What was compared, or the reason that the bank gave.')
  detail: Step['detail'];
}

export class SettlementView {
  @ApiIdProperty('The reference of the transfer at the bank.')
  reference: string;

  @ApiEnumProperty(
    SETTLEMENT_STATUSES,
    'The status of the transfer. After `failed` the wallet is refunded; after `reversed`, once `refundedAt` is there.',
  )
  status: SettlementStatus;

  @ApiTimeProperty('When the bank sent the transfer back. There when it is `reversed`.', { required: false })
  reversedAt?: string;

  @ApiTimeProperty(
    'When the wallet got the money back; null while operators of the service resolve that. There when it is `reversed`.',
    {
      required: false,
      nullable: true,
    },
  )
  refundedAt?: string | null;
}

export class PayingKey {
  @ApiIdProperty('The key.')
  id: string;

  @ApiTextProperty('Its first 16 characters.', 'apw_live_Zm9vYmF')
  prefix: string;

  @ApiTextProperty(
    'What its owner calls it now; null: the key that came with the wallet.',
    'Groceries',
    OR_NULL,
  )
  name: string | null;
}

const KEY_MEANS =
  'The key that asked for it, also where it is dead by now; absent of attempts from before keys were noted.';

const LABELLED = 'only present where a member set it.';

const MemoProperty = () =>
  ApiTextProperty(`What it was for, ${LABELLED}`, 'Milk for the office', { required: false });
const CategoryProperty = () => ApiTextProperty(`Its category, ${LABELLED}`, 'Groceries', { required: false });
const CostCentreProperty = () =>
  ApiTextProperty(`Who bears it, ${LABELLED}`, 'Lagos office', { required: false });

class Transaction extends PaymentAttemptView {
  @ApiTextProperty('The identity of the merchant: how names are compared.', 'shoprite')
  merchant: string;

  @ApiEnumProperty(DECISIONS, '`pending` while it waits for an approval; else final.')
  decision: Decision;

  @ApiEnumProperty(BLOCK_REASONS, 'The check that blocked it; null when approved.', OR_NULL)
  blockReason: BlockReason | null;

  @ApiListProperty(
    AuditEventView,
    'Each step, in order: the checks up to a failing one, then the settlement.',
  )
  auditEvents: readonly AuditEventView[];

  @ApiObjectProperty(SettlementView, 'The transfer to the recipient; null when blocked or pending.', OR_NULL)
  settlement: SettlementView | null;

  @ApiObjectProperty(WaitingFor, 'There while it is pending.', { required: false })
  approval?: WaitingFor;
}

export class TransactionDetails extends Transaction {
  @ApiEnumProperty(PAYMENT_STATUSES, STATUS_MEANS)
  status: PaymentStatus;

  @ApiObjectProperty(PayingKey, `${KEY_MEANS} Shown to members alone, never to an agent.`, {
    required: false,
  })
  key?: PayingKey;

  @ApiTextProperty(
    'The `x-request-id` of the request that asked for it; absent of attempts from before it was noted.',
    'order-1843',
    { required: false },
  )
  requestId?: string;

  @MemoProperty()
  memo?: string;

  @CategoryProperty()
  category?: string;

  @CostCentreProperty()
  costCentre?: string;
}

export class TransactionResponse extends Success(TransactionDetails) {}

export class TransactionsResponse extends PageOf(Transaction) {}

export class RecentTransaction extends PaymentAttemptView {
  @ApiEnumProperty(PAYMENT_STATUSES, STATUS_MEANS)
  status: PaymentStatus;

  @ApiTextProperty('The identity of the merchant: how names are compared.', 'shoprite')
  merchant: string;

  @ApiEnumProperty(DECISIONS, '`pending` while it waits for an approval; else final.')
  decision: Decision;

  @ApiEnumProperty(BLOCK_REASONS, 'The check that blocked it; null when approved.', OR_NULL)
  blockReason: BlockReason | null;

  @ApiObjectProperty(SettlementView, 'The transfer to the recipient; null when blocked.', OR_NULL)
  settlement: SettlementView | null;

  @ApiObjectProperty(PayingKey, KEY_MEANS, { required: false })
  key?: PayingKey;

  @MemoProperty()
  memo?: string;

  @CategoryProperty()
  category?: string;

  @CostCentreProperty()
  costCentre?: string;
}

export class RecentResponse extends ListOf(RecentTransaction, 'Newest first.') {
  @ApiTextProperty(
    'What to send as `cursor` for the next page; null at the end. A page can be short, even empty, before the end.',
    'MjAyNi0xMS0yMVQwNjozMDowMC4wMDAwMDBa',
    OR_NULL,
  )
  nextCursor: string | null;
}

export class CompactTransactionResponse {
  @ApiKoboProperty('The amount.', 40_000, { minimum: 1 })
  amount: number;

  @ApiTextProperty('The identity of the merchant.', 'shoprite')
  merchant: string;

  @ApiEnumProperty(DECISIONS, 'What was decided.')
  decision: Decision;

  @ApiTextProperty(
    `Approved: the caller's reason. Blocked: why, one of ${BLOCK_REASONS.map((reason) => `\`${compactReason(reason)}\``).join(', ')}.`,
    'Milk and bread',
    OR_NULL,
  )
  reason: string | null;

  @ApiTimeProperty(REQUESTED_AT_MEANS)
  createdAt: Date;
}

export function presentEntry({ transaction, settlement, auditEvents }: TransactionEntry) {
  return {
    ...presentAttempt(transaction),
    merchant: transaction.merchant,
    auditEvents,
    settlement,
    ...waitingFor(transaction),
  };
}

export function presentDetails(entry: TransactionEntry): TransactionDetails {
  const { status, key, transaction } = entry;
  const { requestId } = transaction;
  return {
    ...presentEntry(entry),
    status,
    ...(key && { key }),
    ...(requestId !== null && { requestId }),
    ...labelsIn(entry),
  };
}

function labelsIn({ labels }: TransactionEntry): { memo?: string; category?: string; costCentre?: string } {
  if (!labels) return {};
  const { memo, category, costCentre } = labels;
  return {
    ...(memo !== null && { memo }),
    ...(category !== null && { category }),
    ...(costCentre !== null && { costCentre }),
  };
}

export function presentListed(entry: TransactionEntry): RecentTransaction {
  const { transaction, status, settlement, key } = entry;
  const { merchant } = transaction;
  const shown = { ...presentAttempt(transaction), status, merchant, settlement };
  return { ...shown, ...(key && { key }), ...labelsIn(entry) };
}

const TRANSACTION_COLUMNS: readonly Column<TransactionEntry>[] = [
  { name: 'id', of: ({ transaction }) => transaction.id },
  { name: 'created_at', isTime: true, of: ({ transaction }) => transaction.createdAt },
  { name: 'decision', of: ({ transaction }) => decisionOf(transaction) },
  { name: 'block_reason', of: ({ transaction }) => transaction.blockReason },
  { name: 'amount_ngn', of: ({ transaction }) => nairaFromKobo(kobo(transaction.amount)) },
  { name: 'amount_kobo', of: ({ transaction }) => transaction.amount },
  { name: 'merchant_name', of: ({ transaction }) => transaction.merchantName },
  { name: 'recipient_account_no', of: ({ transaction }) => transaction.recipientAccountNo },
  { name: 'recipient_bank_code', of: ({ transaction }) => transaction.recipientBankCode },
  { name: 'reason', of: ({ transaction }) => transaction.reason },
  { name: 'settlement_status', of: ({ settlement }) => settlement?.status ?? null },
  { name: 'settlement_reference', of: ({ settlement }) => settlement?.reference ?? null },
];

const KEY_COLUMNS: readonly Column<TransactionEntry>[] = [
  { name: 'key_id', of: ({ key }) => key?.id ?? null },
  { name: 'key_prefix', of: ({ key }) => key?.prefix ?? null },
  { name: 'key_name', of: ({ key }) => key?.name ?? null },
];

const RUN_COLUMNS: readonly Column<TransactionEntry>[] = [
  { name: 'purpose', of: ({ transaction }) => transaction.purpose },
  { name: 'run_id', of: ({ transaction }) => transaction.runId },
  { name: 'rationale', of: ({ transaction }) => transaction.rationale },
];

const LABEL_COLUMNS: readonly Column<TransactionEntry>[] = [
  { name: 'memo', of: ({ labels }) => labels?.memo ?? null },
  { name: 'category', of: ({ labels }) => labels?.category ?? null },
  { name: 'cost_centre', of: ({ labels }) => labels?.costCentre ?? null },
];

export const TRANSACTIONS_CSV: readonly Column<TransactionEntry>[] = [
  ...TRANSACTION_COLUMNS,
  ...KEY_COLUMNS,
  ...RUN_COLUMNS,
  ...LABEL_COLUMNS,
];

const BANK_NAME: Column<TransactionEntry> = {
  name: 'recipient_bank_name',
  of: ({ transaction }) => bankNameOf(transaction.recipientBankCode),
};

export const SEARCH_CSV: readonly Column<NamedEntry>[] = [
  ...TRANSACTION_COLUMNS.flatMap((each) =>
    each.name === 'recipient_bank_code' ? [each, BANK_NAME] : [each],
  ),
  { name: 'status', of: ({ status }) => status },
  { name: 'wallet_id', of: ({ transaction }) => transaction.walletId },
  { name: 'wallet_name', of: ({ walletName }) => walletName },
  ...KEY_COLUMNS,
  ...RUN_COLUMNS,
  ...LABEL_COLUMNS,
];
