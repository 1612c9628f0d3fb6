import { Check, Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

@Entity('wallet_payees')
@Unique('wallet_payees_id_key', ['walletId', 'id'])
@Index('wallet_payees_by_account', ['walletId', 'accountNumber', 'bankCode'])
@Check('wallet_payees_origin_check', `origin IN ('registered', 'first_use')`)
export class Payee {
  @PrimaryColumn('uuid', { name: 'wallet_id' })
  walletId: string;

  /** Normalised name. */
  @PrimaryColumn('text')
  merchant: string;

  @PrimaryColumn('text', { name: 'account_number' })
  accountNumber: string;

  @PrimaryColumn('text', { name: 'bank_code' })
  bankCode: string;

  /** The nil UUID: all keys of the wallet; else the keys of one history. */
  @PrimaryColumn('uuid', { name: 'history_id', default: '00000000-0000-0000-0000-000000000000' })
  historyId: string;

  @Column('uuid')
  id: string;

  @Column('text', { name: 'merchant_name' })
  merchantName: string;

  /** By the bank's records; null: unknown. */
  @Column('text', { name: 'account_name', nullable: true })
  accountName: string | null;

  /** `registered` by the owner, or remembered by `first_use`. */
  @Column('text')
  origin: 'registered' | 'first_use';

  /** First approved payment; null: none. */
  @Column('uuid', { name: 'first_transaction_id', nullable: true })
  firstTransactionId: string | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;
}
