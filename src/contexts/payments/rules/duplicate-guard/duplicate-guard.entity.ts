import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { Kobo } from '../../../../kernel/money.js';

@Entity('recent_purchases')
@Unique('recent_purchases_transaction_key', ['walletId', 'transactionId'])
@Index('recent_purchases_by_time', ['approvedAt'])
export class RecentPurchase {
  @PrimaryColumn('uuid', { name: 'wallet_id' })
  walletId: string;

  @PrimaryColumn('uuid', { name: 'key_id' })
  keyId: string;

  @PrimaryColumn('text', { name: 'recipient_account_no' })
  accountNumber: string;

  @PrimaryColumn('text', { name: 'recipient_bank_code' })
  bankCode: string;

  @PrimaryColumn('bigint')
  amount: Kobo;

  @PrimaryColumn('bigint')
  seq: number;

  @Column('uuid', { name: 'transaction_id' })
  transactionId: string;

  @Column('timestamptz', { name: 'approved_at' })
  approvedAt: Date;
}
