import { Check, Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { Kobo } from '../../kernel/money.js';
import type { Facts } from './checks/facts.port.js';
import type { ApprovalStatus, BlockReason } from './payments.events.js';

/** One attempt to pay, approved or blocked. Written by set-based SQL alone, under the wallet's lock. */
@Entity('transactions')
@Unique('transactions_id_wallet_id_key', ['id', 'walletId'])
@Index('transactions_by_time', ['walletId', 'createdAt', 'seq'])
// In the database no two are null either: attempts without a history share the wallet's scope.
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
@Check(
  'transactions_check',
  `is_transaction_state(seq, blocked_total, idempotency_key, fingerprint, approval, block_reason, approval_expires_at,
     approval_decided_at)`,
)
export class TransactionRow {
  @PrimaryColumn('uuid', { name: 'wallet_id' })
  walletId: string;

  /** Its place in the wallet's history: 1, 2, 3 … without gaps. */
  @PrimaryColumn('bigint')
  seq: number;

  @Column('uuid')
  id: string;

  @Column('bigint')
  amount: Kobo;

  /** The merchant's identity: its name in the form in which names are compared. */
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

  /** Null: approved, or waiting for a person. */
  @Column('text', { name: 'block_reason', nullable: true })
  blockReason: BlockReason | null;

  /** What the six checks and the owner's rules were decided on. */
  @Column('json')
  facts: Facts;

  /** All that the wallet ever spent, this attempt included: as text, since a sum may be past what a number holds. */
  @Column('numeric', { name: 'spent_total', select: false })
  spentTotal: string;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  @Column('text', { name: 'idempotency_key', nullable: true })
  idempotencyKey: string | null;

  /** The SHA-256 of what makes two requests the same payment. */
  @Column('bytea', { nullable: true })
  fingerprint: Buffer | null;

  /** How many attempts of the wallet the checks had blocked so far, this one included: without those denied or expired. */
  @Column('bigint', { name: 'blocked_total' })
  blockedTotal: number;

  /** Null: the owner was not asked. This and what belongs to it change once, with `blockReason`; nothing else ever does. */
  @Column('text', { nullable: true })
  approval: ApprovalStatus | null;

  @Column('timestamptz', { name: 'approval_expires_at', nullable: true })
  approvalExpiresAt: Date | null;

  @Column('timestamptz', { name: 'approval_decided_at', nullable: true })
  approvalDecidedAt: Date | null;

  /** Null: no owner decided, or not in time. */
  @Column('uuid', { name: 'approval_decided_by', nullable: true })
  approvalDecidedBy: string | null;

  @Column('text', { name: 'approval_note', nullable: true })
  approvalNote: string | null;

  /** The key that asked for it; null of attempts from before keys were noted. */
  @Column('uuid', { name: 'key_id', nullable: true })
  keyId: string | null;

  /** What the key is for, where its owner said so. */
  @Column('text', { nullable: true })
  purpose: string | null;

  /** The history that it belongs to: that of its key, if that has limits. It is the scope of its idempotency key too. */
  @Column('uuid', { name: 'history_id', nullable: true })
  historyId: string | null;

  /** Its place there: 1, 2, 3 … without gaps. */
  @Column('bigint', { name: 'history_seq', nullable: true })
  historySeq: number | null;

  /** How many attempts there the checks had blocked so far, as {@link blockedTotal}. */
  @Column('bigint', { name: 'history_blocked_total', nullable: true })
  historyBlockedTotal: number | null;
}

/** A payment that the duplicate-purchase guard compares with. */
@Entity('recent_purchases')
@Unique('recent_purchases_transaction_key', ['walletId', 'transactionId'])
@Index('recent_purchases_by_time', ['approvedAt'])
export class RecentPurchase {
  @PrimaryColumn('uuid', { name: 'wallet_id' })
  walletId: string;

  @PrimaryColumn('uuid', { name: 'key_id' })
  keyId: string;

  @PrimaryColumn('text', { name: 'recipient_account_no' })
  recipientAccountNo: string;

  @PrimaryColumn('text', { name: 'recipient_bank_code' })
  recipientBankCode: string;

  @PrimaryColumn('bigint')
  amount: Kobo;

  /** That of the attempt. */
  @PrimaryColumn('bigint')
  seq: number;

  @Column('uuid', { name: 'transaction_id' })
  transactionId: string;

  @Column('timestamptz', { name: 'approved_at' })
  approvedAt: Date;
}

/** A payment whose money went back, or never left: it no longer counts in the period that it was asked for in. */
@Entity('refunded_payments')
@Index('refunded_payments_by_time', ['walletId', 'approvedAt'])
@Check('refunded_payments_amount_check', 'amount > 0')
export class RefundedPayment {
  @PrimaryColumn('uuid', { name: 'wallet_id' })
  walletId: string;

  @PrimaryColumn('uuid', { name: 'transaction_id' })
  transactionId: string;

  @Column('bigint')
  amount: Kobo;

  /** When it was asked for: the time at which it counted. */
  @Column('timestamptz', { name: 'approved_at' })
  approvedAt: Date;
}

/** A payment that the bank made and then took back. It counts as spent until it is refunded. */
@Entity('returned_payments')
@Index('returned_payments_by_time', ['walletId', 'approvedAt'])
export class ReturnedPayment {
  @PrimaryColumn('uuid', { name: 'wallet_id' })
  walletId: string;

  @PrimaryColumn('uuid', { name: 'transaction_id' })
  transactionId: string;

  /** When it was asked for. */
  @Column('timestamptz', { name: 'approved_at' })
  approvedAt: Date;
}

/** How far the blocked attempts of a key have gone ahead of what is stored a minute. */
@Entity('blocked_attempt_limits')
export class BlockedAttemptLimit {
  @PrimaryColumn('uuid', { name: 'wallet_id' })
  walletId: string;

  @PrimaryColumn('uuid', { name: 'key_id' })
  keyId: string;

  /** When the key is back at no blocked attempt that counts. */
  @Column('timestamptz', { name: 'even_at' })
  evenAt: Date;
}
