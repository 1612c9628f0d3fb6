import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique, VirtualColumn } from 'typeorm';
import type { Kobo } from '../../kernel/money.js';
import type { WalletStatus } from './wallet.events.js';
import type { KeyLimits, RequiredOfPayment } from './wallet.port.js';
import type { WalletControls } from './wallet.events.js';

/** Balances change by set-based SQL alone. */
@Entity('wallets')
@Index('wallets_by_user', { synchronize: false })
// A function: see `transactions_check`.
@Check(
  'wallets_check',
  `is_wallet_state(balance, held, held_count, attempt_count, blocked_count, spend_limit_per_tx, spend_limit_period)`,
)
export class Wallet {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid', { name: 'user_id' })
  accountId: string;

  /** Null: the user whose id the account has. */
  @Column('uuid', { name: 'made_by_user_id', nullable: true })
  madeByUserId: string | null;

  @Column('text')
  name: string;

  @Column('bigint', { default: 0 })
  balance: Kobo;

  @Column('bigint', { default: 0 })
  held: Kobo;

  @Column('bigint', { name: 'spend_limit_per_tx' })
  spendLimitPerTx: Kobo;

  @Column('bigint', { name: 'spend_limit_period' })
  spendLimitPeriod: Kobo;

  @Column('integer', { name: 'period_window_days' })
  periodWindowDays: number;

  @Column('timestamptz')
  expiry: Date;

  @Column('boolean', { name: 'use_allowlist' })
  useAllowlist: boolean;

  @Column('text', { name: 'merchant_allowlist', array: true })
  merchantAllowlist: readonly string[];

  /** Normalised; read by the payment path alone. */
  @Column('text', { name: 'allowed_merchants', array: true, select: false })
  allowedMerchants: readonly string[];

  @Column('text', { default: 'ACTIVE' })
  status: WalletStatus;

  /** When "freeze all" suspended it; null otherwise. */
  @Column('timestamptz', { name: 'suspended_all_at', nullable: true })
  suspendedAllAt: Date | null;

  /** Lets no money out until an operator lifts it. */
  @Column('boolean', { name: 'suspended_by_operator', default: false })
  suspendedByOperator: boolean;

  /** Null: no optional controls. */
  @Column('jsonb', { nullable: true })
  controls: WalletControls | null;

  @Column('integer', { default: 1 })
  version: number;

  /* Running totals for the payment path. */

  @Column('integer', { name: 'held_count', default: 0, select: false })
  heldCount?: number;

  @Column('bigint', { name: 'attempt_count', default: 0, select: false })
  attemptCount?: number;

  @Column('bigint', { name: 'blocked_count', default: 0, select: false })
  blockedCount?: number;

  @Column('numeric', { name: 'spent_total', default: 0, select: false })
  spentTotal?: string;

  @Column('bigint', { name: 'entry_count', default: 0, select: false })
  entryCount?: number;

  @Column('integer', { name: 'return_count', default: 0, select: false })
  returnCount?: number;

  @Column('bigint', { name: 'window_spent', default: 0, select: false })
  windowSpent?: number;

  @Column('timestamptz', { name: 'window_from', nullable: true, select: false })
  windowFrom?: Date | null;

  @Column('integer', { name: 'window_days', nullable: true, select: false })
  windowDays?: number | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  @Column('timestamptz', { name: 'updated_at' })
  updatedAt: Date;

  /** By the database's clock. */
  @VirtualColumn({ type: 'boolean', query: (wallet) => `SELECT ${wallet}.expiry <= clock_timestamp()` })
  expired: boolean;
}

/** Only its SHA-256 is stored. */
@Entity('api_keys')
@Index('api_keys_by_wallet', ['walletId', 'createdAt'])
@Unique('api_keys_hash_key', ['hash'])
@Check('api_keys_hash_check', 'length(hash) = 32')
export class ApiKey {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid', { name: 'wallet_id' })
  @ForeignKey(() => Wallet, { name: 'api_keys_wallet_id_fkey' })
  walletId: string;

  @Column('bytea', { select: false })
  hash: Buffer;

  @Column('text', { name: 'key_prefix' })
  keyPrefix: string;

  /** Null: the wallet's first key. */
  @Column('text', { nullable: true })
  name: string | null;

  /** Null: no expiry. */
  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt: Date | null;

  /** Written in batches, some seconds late. */
  @Column('timestamptz', { name: 'last_used_at', nullable: true })
  lastUsedAt: Date | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  /** Null: only the wallet's limits. Never changes. */
  @Column('jsonb', { nullable: true })
  limits: KeyLimits | null;

  /** Normalised merchants of its limits; read by the payment path alone. */
  @Column('text', { name: 'allowed_merchants', array: true, nullable: true, select: false })
  allowedMerchants?: readonly string[] | null;

  /** Scopes of known idempotency keys, its own first; null: see {@link lineageOf}. */
  @Column('uuid', { array: true, nullable: true, select: false })
  lineage?: readonly string[] | null;

  /** Never changes. */
  @Column('text', { nullable: true })
  purpose: string | null;

  /** Members each payment must have; null: none. Never changes. */
  @Column('text', { array: true, nullable: true })
  requires: readonly RequiredOfPayment[] | null;

  /** Never changes. */
  @Column('bigint', { name: 'second_approval_above', nullable: true })
  secondApprovalAbove: Kobo | null;

  /** Null: live. */
  @Column('timestamptz', { name: 'revoked_at', nullable: true })
  revokedAt: Date | null;

  /** Null: with its wallet, or before this was kept. */
  @Column('uuid', { name: 'made_by_user_id', nullable: true })
  madeByUserId: string | null;

  /** Null: its creation. */
  @Column('timestamptz', { name: 'age_from', nullable: true, select: false })
  ageFrom?: Date | null;

  /** In kobo, not refunded. */
  @Column('bigint', { name: 'cooling_spent', default: 0, select: false })
  coolingSpent?: number;
}

@Entity('wallet_merchants')
@Check(
  'wallet_merchants_account_check',
  'num_nulls(account_number, bank_code, first_transaction_id, first_paid_at) IN (0, 4)',
)
export class WalletMerchant {
  @PrimaryColumn('uuid', { name: 'wallet_id' })
  walletId: string;

  /** Normalised name. */
  @PrimaryColumn('text')
  merchant: string;

  @Column('uuid')
  id: string;

  @Column('text')
  name: string;

  /* First account paid; null once removed from the payees. */

  @Column('text', { name: 'account_number', nullable: true, select: false })
  accountNumber?: string | null;

  @Column('text', { name: 'bank_code', nullable: true, select: false })
  bankCode?: string | null;

  @Column('uuid', { name: 'first_transaction_id', nullable: true, select: false })
  firstTransactionId?: string | null;

  @Column('timestamptz', { name: 'first_paid_at', nullable: true, select: false })
  firstPaidAt?: Date | null;
}
