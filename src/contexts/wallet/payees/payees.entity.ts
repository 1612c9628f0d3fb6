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

  /** As supplied, trimmed. */
  @Column('text', { name: 'merchant_name' })
  merchantName: string;

  /** Account holder by the bank's records; null: unknown. */
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

/** An account the cooling-off rule knows. Written by set-based SQL alone. */
@Entity('wallet_paid_accounts')
export class PaidAccount {
  @PrimaryColumn('uuid', { name: 'wallet_id' })
  walletId: string;

  @PrimaryColumn('text', { name: 'account_number' })
  accountNumber: string;

  @PrimaryColumn('text', { name: 'bank_code' })
  bankCode: string;

  /** First approval; null: payments only waited so far. */
  @Column('timestamptz', { name: 'first_paid_at', nullable: true })
  firstPaidAt: Date | null;

  /** Not refunded, in kobo. */
  @Column('bigint', { name: 'cooling_spent', default: 0 })
  coolingSpent: number;
}

/** A payment that counts against a cooling-off cap; deleted when given back. */
@Entity('cooling_off_payments')
@Check('cooling_off_payments_amount_check', 'amount > 0')
@Check(
  'cooling_off_payments_check',
  '(account_number IS NULL) = (bank_code IS NULL) AND num_nonnulls(key_id, account_number) > 0',
)
export class CoolingOffPayment {
  @PrimaryColumn('uuid', { name: 'wallet_id' })
  walletId: string;

  @PrimaryColumn('uuid', { name: 'transaction_id' })
  transactionId: string;

  /** Null: the key did not cool off. */
  @Column('uuid', { name: 'key_id', nullable: true })
  keyId: string | null;

  /** Keys that took over the age later. */
  @Column('uuid', { name: 'inherited_by', array: true, default: [] })
  inheritedBy: string[];

  /** Null: the payee did not cool off. */
  @Column('text', { name: 'account_number', nullable: true })
  accountNumber: string | null;

  @Column('text', { name: 'bank_code', nullable: true })
  bankCode: string | null;

  @Column('bigint')
  amount: number;
}
