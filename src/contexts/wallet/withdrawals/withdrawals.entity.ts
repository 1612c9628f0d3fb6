import { Check, Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { Kobo } from '../../../kernel/money.js';

/** Its id is the reference of its settlement. */
@Entity('withdrawals')
@Unique('withdrawals_id_key', ['id', 'walletId'])
@Index('withdrawals_idempotency', ['walletId', 'idempotencyKey'], {
  unique: true,
  where: 'idempotency_key IS NOT NULL',
})
@Check('withdrawals_seq_check', 'seq > 0')
@Check('withdrawals_amount_check', 'amount > 0')
@Check('withdrawals_fingerprint_check', '(fingerprint IS NULL) = (idempotency_key IS NULL)')
export class Withdrawal {
  @PrimaryColumn('uuid', { name: 'wallet_id' })
  walletId: string;

  /** 1, 2, 3 … without gaps. */
  @PrimaryColumn('bigint')
  seq: number;

  @Column('uuid')
  id: string;

  @Column('uuid', { name: 'user_id' })
  userId: string;

  @Column('bigint')
  amount: Kobo;

  @Column('text', { name: 'account_number' })
  accountNumber: string;

  @Column('text', { name: 'bank_code' })
  bankCode: string;

  @Column('text', { nullable: true })
  narration: string | null;

  @Column('text', { name: 'idempotency_key', nullable: true })
  idempotencyKey: string | null;

  @Column('bytea', { nullable: true })
  fingerprint: Buffer | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;
}

@Entity('wallet_transfers')
@Index('wallet_transfers_idempotency', ['fromWalletId', 'idempotencyKey'], {
  unique: true,
  where: 'idempotency_key IS NOT NULL',
})
@Check('wallet_transfers_amount_check', 'amount > 0')
@Check('wallet_transfers_fingerprint_check', '(fingerprint IS NULL) = (idempotency_key IS NULL)')
@Check('wallet_transfers_check', 'from_wallet_id <> to_wallet_id')
export class WalletTransfer {
  @PrimaryColumn('uuid', { name: 'from_wallet_id' })
  fromWalletId: string;

  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid', { name: 'to_wallet_id' })
  toWalletId: string;

  @Column('uuid', { name: 'user_id' })
  userId: string;

  @Column('bigint')
  amount: Kobo;

  @Column('text', { nullable: true })
  narration: string | null;

  @Column('text', { name: 'idempotency_key', nullable: true })
  idempotencyKey: string | null;

  @Column('bytea', { nullable: true })
  fingerprint: Buffer | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;
}
