import { Check, Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { Kobo } from '../../../../kernel/money.js';

/** Usage of a limited key; written under its wallet's lock. */
@Entity('api_key_usage')
@Check(
  'api_key_usage_check',
  'refunded_total BETWEEN 0 AND spent_total AND refunded_count BETWEEN 0 AND payment_count',
)
export class ApiKeyUsage {
  @PrimaryColumn('uuid', { name: 'wallet_id' })
  walletId: string;

  @PrimaryColumn('uuid', { name: 'key_id' })
  keyId: string;

  /** Running total; text, as it may exceed exact numbers. */
  @Column('numeric', { name: 'spent_total', default: 0 })
  spentTotal: string;

  @Column('bigint', { name: 'payment_count', default: 0 })
  paymentCount: number;

  @Column('numeric', { name: 'refunded_total', default: 0 })
  refundedTotal: string;

  @Column('bigint', { name: 'refunded_count', default: 0 })
  refundedCount: number;
}

@Entity('api_key_payments')
@Unique('api_key_payments_transaction_key', ['walletId', 'transactionId'])
@Index('api_key_payments_by_time', ['walletId', 'keyId', 'approvedAt', 'seq'])
@Index('api_key_payments_refunded', ['walletId', 'keyId', 'approvedAt'], { where: 'is_refunded' })
@Check('api_key_payments_seq_check', 'seq > 0')
@Check('api_key_payments_amount_check', 'amount > 0')
@Check('api_key_payments_spent_total_check', 'spent_total >= amount')
export class ApiKeyPayment {
  @PrimaryColumn('uuid', { name: 'wallet_id' })
  walletId: string;

  @PrimaryColumn('uuid', { name: 'key_id' })
  keyId: string;

  /** Place in the key's life: 1, 2, 3 … without gaps. */
  @PrimaryColumn('bigint')
  seq: number;

  @Column('uuid', { name: 'transaction_id' })
  transactionId: string;

  @Column('bigint')
  amount: Kobo;

  /** Running total, this payment included. */
  @Column('numeric', { name: 'spent_total' })
  spentTotal: string;

  @Column('boolean', { name: 'is_refunded', default: false })
  isRefunded: boolean;

  @Column('timestamptz', { name: 'approved_at' })
  approvedAt: Date;
}
