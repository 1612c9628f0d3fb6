import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** Changes are only ever added. */
@Entity('wallet_changes')
@Check('wallet_changes_seq_check', 'seq > 0')
export class WalletChange {
  @PrimaryColumn('uuid', { name: 'wallet_id' })
  walletId: string;

  /** Place in the wallet's changes: 1, 2, 3 … without gaps. */
  @PrimaryColumn('bigint')
  seq: number;

  @Column('uuid')
  id: string;

  @Column('uuid', { name: 'user_id' })
  userId: string;

  @Column('text')
  action: string;

  /** By field. */
  @Column('jsonb')
  before: object;

  @Column('jsonb')
  after: object;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;
}
