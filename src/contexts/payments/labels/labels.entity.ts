import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Apart from `transactions`, for the payment path's sake. */
@Entity('payment_labels')
@Index('payment_labels_by_time', ['walletId', 'requestedAt'])
@Index('payment_labels_category', ['walletId', 'category', 'requestedAt'], { where: 'category IS NOT NULL' })
@Index('payment_labels_cost_centre', ['walletId', 'costCentre', 'requestedAt'], {
  where: 'cost_centre IS NOT NULL',
})
@Index('payment_labels_changed', ['accountId', 'changedAt'])
@Check(
  'payment_labels_length_check',
  'char_length(memo) <= 500 AND char_length(category) <= 60 AND char_length(cost_centre) <= 60',
)
export class PaymentLabels {
  @PrimaryColumn('uuid', { name: 'wallet_id' })
  walletId: string;

  @PrimaryColumn('uuid', { name: 'transaction_id' })
  transactionId: string;

  @Column('uuid', { name: 'account_id' })
  accountId: string;

  /** Its payment's `created_at`. */
  @Column('timestamptz', { name: 'requested_at' })
  requestedAt: Date;

  @Column('text', { nullable: true })
  memo: string | null;

  @Column('text', { nullable: true })
  category: string | null;

  @Column('text', { name: 'cost_centre', nullable: true })
  costCentre: string | null;

  @Column('timestamptz', { name: 'changed_at' })
  changedAt: Date;
}
