import { Check, Column, Entity, getMetadataArgsStorage, Index, PrimaryColumn, Unique } from 'typeorm';
import type { Kobo } from '../../kernel/money.js';
import type { Facts } from './checks/facts.port.js';
import type { ApprovalStatus, PaymentDetails } from './payments.events.js';
import type { BlockReason } from '../../kernel/errors.js';

/** One attempt to pay. Written by set-based SQL alone, under the wallet's lock. */
@Entity('transactions')
@Unique('transactions_id_wallet_id_key', ['id', 'walletId'])
@Index('transactions_by_time', ['walletId', 'createdAt', 'seq'])
// NULLS NOT DISTINCT in the database: attempts without a history share the wallet's scope.
@Index('transactions_idempotency_scoped', ['walletId', 'idempotencyKey', 'historyId'], {
  unique: true,
  where: 'idempotency_key IS NOT NULL',
})
@Index('transactions_of_history', ['walletId', 'historyId', 'historySeq'], {
  unique: true,
  where: 'history_id IS NOT NULL',
})
@Index('transactions_blocked', ['walletId', 'blockedTotal'], {
  unique: true,
  where: 'block_reason IS NOT NULL AND approval IS NULL',
})
@Index('transactions_approvals', ['walletId', 'seq'], { where: 'approval IS NOT NULL' })
@Index('transactions_approvals_pending', ['walletId', 'createdAt', 'seq'], { where: `approval = 'pending'` })
@Index('transactions_approvals_due', ['approvalExpiresAt'], { where: `approval = 'pending'` })
// A function: spelt out, PostgreSQL plans the checks for each statement, more than 3 % of a lone payment.
@Check(
  'transactions_check',
  `is_transaction_state(seq, blocked_total, idempotency_key, fingerprint, approval, block_reason, approval_expires_at,
     approval_decided_at)`,
)
export class TransactionRow implements PaymentDetails {
  @PrimaryColumn('uuid', { name: 'wallet_id' })
  walletId: string;

  /** Place in the wallet's history: 1, 2, 3 … without gaps. */
  @PrimaryColumn('bigint')
  seq: number;

  @Column('uuid')
  id: string;

  @Column('bigint')
  amount: Kobo;

  /** Normalised name. */
  @Column('text')
  merchant: string;

  @Column('text', { name: 'merchant_name' })
  merchantName: string;

  @Column('text', { name: 'recipient_account_no' })
  recipientAccountNo: string;

  @Column('text', { name: 'recipient_bank_code' })
  recipientBankCode: string;

  @Column('text', { nullable: true })
  reason: string | null;

  @Column('text', { name: 'run_id', nullable: true })
  runId: string | null;

  @Column('text', { nullable: true })
  rationale: string | null;

  /** Null: approved, or pending. */
  @Column('text', { name: 'block_reason', nullable: true })
  blockReason: BlockReason | null;

  /** JSON's null once archived. */
  @Column('json')
  facts: Facts | null;

  /** Running total of the wallet's spend, this attempt included; text, as it may exceed exact numbers. */
  @Column('numeric', { name: 'spent_total', select: false })
  spentTotal: string;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  @Column('text', { name: 'idempotency_key', nullable: true })
  idempotencyKey: string | null;

  /** SHA-256 of the validated request. */
  @Column('bytea', { nullable: true })
  fingerprint: Buffer | null;

  /** Running count of attempts blocked by checks, this one included; without denied and expired ones. */
  @Column('bigint', { name: 'blocked_total' })
  blockedTotal: number;

  /** Null: no approval was needed. Changes once, with `blockReason`; nothing else ever changes. */
  @Column('text', { nullable: true })
  approval: ApprovalStatus | null;

  @Column('timestamptz', { name: 'approval_expires_at', nullable: true })
  approvalExpiresAt: Date | null;

  @Column('timestamptz', { name: 'approval_decided_at', nullable: true })
  approvalDecidedAt: Date | null;

  /** Null: expired, or not decided. */
  @Column('uuid', { name: 'approval_decided_by', nullable: true })
  approvalDecidedBy: string | null;

  @Column('text', { name: 'approval_note', nullable: true })
  approvalNote: string | null;

  /** Null on attempts older than key tracking. */
  @Column('uuid', { name: 'key_id', nullable: true })
  keyId: string | null;

  @Column('text', { nullable: true })
  purpose: string | null;

  @Column('text', { name: 'request_id', nullable: true })
  requestId: string | null;

  /** History of a limited key; also the scope of idempotency keys. */
  @Column('uuid', { name: 'history_id', nullable: true })
  historyId: string | null;

  /** Place in that history: 1, 2, 3 … without gaps. */
  @Column('bigint', { name: 'history_seq', nullable: true })
  historySeq: number | null;

  /** As {@link blockedTotal}, in that history. */
  @Column('bigint', { name: 'history_blocked_total', nullable: true })
  historyBlockedTotal: number | null;
}

const DETAILS: { readonly [Name in keyof PaymentDetails]: true } = {
  amount: true,
  merchant: true,
  merchantName: true,
  recipientAccountNo: true,
  recipientBankCode: true,
  reason: true,
  runId: true,
  rationale: true,
};

/** With their SQL types. */
export const DETAIL_COLUMNS = getMetadataArgsStorage()
  .columns.filter(({ target, propertyName }) => target === TransactionRow && propertyName in DETAILS)
  .map(({ propertyName: name, options: { name: column = name, type } }) => ({
    name,
    column,
    type: String(type),
  }));

/** Spend released after a refund or denial: no longer counts in its period. */
@Entity('refunded_payments')
@Index('refunded_payments_by_time', ['walletId', 'approvedAt'])
@Check('refunded_payments_amount_check', 'amount > 0')
export class ReleasedSpend {
  @PrimaryColumn('uuid', { name: 'wallet_id' })
  walletId: string;

  @PrimaryColumn('uuid', { name: 'transaction_id' })
  transactionId: string;

  @Column('bigint')
  amount: Kobo;

  /** When it was requested: the time at which it counted. */
  @Column('timestamptz', { name: 'approved_at' })
  approvedAt: Date;
}

/** A payment the bank sent back after paying. Counts as spent until refunded. */
@Entity('returned_payments')
@Index('returned_payments_by_time', ['walletId', 'approvedAt'])
export class ReturnedPayment {
  @PrimaryColumn('uuid', { name: 'wallet_id' })
  walletId: string;

  @PrimaryColumn('uuid', { name: 'transaction_id' })
  transactionId: string;

  /** When it was requested. */
  @Column('timestamptz', { name: 'approved_at' })
  approvedAt: Date;
}

/** Rate of a key's blocked attempts. */
@Entity('blocked_attempt_limits')
export class BlockedAttemptLimit {
  @PrimaryColumn('uuid', { name: 'wallet_id' })
  walletId: string;

  @PrimaryColumn('uuid', { name: 'key_id' })
  keyId: string;

  /** When the key is back at zero counted attempts. */
  @Column('timestamptz', { name: 'even_at' })
  evenAt: Date;
}

/** See `npm run archive`. */
@Entity('archived_facts')
@Check('archived_facts_check', 'first_id <= last_id AND cardinality(ids) = cardinality(facts)')
export class ArchivedFacts {
  @PrimaryColumn('uuid', { name: 'last_id' })
  lastId: string;

  @Column('uuid', { name: 'first_id' })
  firstId: string;

  @Column('uuid', { array: true })
  ids: readonly string[];

  @Column('json', { array: true })
  facts: readonly Facts[];
}
