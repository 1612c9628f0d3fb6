import { Check, Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

/** An account that a wallet may pay a merchant at. */
@Entity('wallet_payees')
@Unique('wallet_payees_id_key', ['walletId', 'id'])
@Index('wallet_payees_by_account', ['walletId', 'accountNumber', 'bankCode'])
@Check('wallet_payees_origin_check', `origin IN ('registered', 'first_use')`)
export class Payee {
  @PrimaryColumn('uuid', { name: 'wallet_id' })
  walletId: string;

  /** The merchant's identity. */
  @PrimaryColumn('text')
  merchant: string;

  @PrimaryColumn('text', { name: 'account_number' })
  accountNumber: string;

  @PrimaryColumn('text', { name: 'bank_code' })
  bankCode: string;

  /** Who may pay it: the nil UUID, so all keys of the wallet, or the keys of one history, which have limits. */
  @PrimaryColumn('uuid', { name: 'history_id', default: '00000000-0000-0000-0000-000000000000' })
  historyId: string;

  @Column('uuid')
  id: string;

  /** As supplied, trimmed. */
  @Column('text', { name: 'merchant_name' })
  merchantName: string;

  /** The name of the account's holder, as its bank says; null: not known yet, or the bank knows none. */
  @Column('text', { name: 'account_name', nullable: true })
  accountName: string | null;

  /** `registered` by the owner, or remembered by the `first_use` of the merchant. */
  @Column('text')
  origin: 'registered' | 'first_use';

  /** The first approved payment to it since it is a payee; null: there was none. */
  @Column('uuid', { name: 'first_transaction_id', nullable: true })
  firstTransactionId: string | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;
}

/**
 * An account that a wallet paid, as its cooling-off rule for payees knows it: paid under the rule, or known to have been
 * paid before the rule was set. Written by set-based SQL alone.
 */
@Entity('wallet_paid_accounts')
export class PaidAccount {
  @PrimaryColumn('uuid', { name: 'wallet_id' })
  walletId: string;

  @PrimaryColumn('text', { name: 'account_number' })
  accountNumber: string;

  @PrimaryColumn('text', { name: 'bank_code' })
  bankCode: string;

  /** When a payment to it was first approved; null: none was, they only waited for a person. */
  @Column('timestamptz', { name: 'first_paid_at', nullable: true })
  firstPaidAt: Date | null;

  /** What was paid to it while it cooled off, and not refunded. */
  @Column('bigint', { name: 'cooling_spent', default: 0 })
  coolingSpent: number;
}

/** A payment that counts in what its new key, or its new payee, may still be paid with. It goes when it is given back. */
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

  /** The keys that took over the age of that one after it paid. */
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
