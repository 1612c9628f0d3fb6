import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

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
