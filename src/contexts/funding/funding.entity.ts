import { Check, Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { Kobo } from '../../kernel/money.js';

@Entity('virtual_accounts')
@Unique('virtual_accounts_wallet_id_key', ['walletId'])
@Unique('virtual_accounts_bank_code_account_number_key', ['bankCode', 'accountNumber'])
@Check('virtual_accounts_account_number_check', `account_number ~ '^[0-9]{10}$'`)
export class VirtualAccount {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid', { name: 'wallet_id' })
  walletId: string;

  @Column('text', { name: 'account_number' })
  accountNumber: string;

  @Column('text', { name: 'account_name' })
  accountName: string;

  @Column('text', { name: 'bank_name' })
  bankName: string;

  @Column('text', { name: 'bank_code' })
  bankCode: string;

  @Column('text', { name: 'provider_ref' })
  providerRef: string;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  readonly currency = 'NGN';
}

/**
 * `credited` and `held`: one row a reference. `conflict`, `unmatched` (no wallet) and `ignored` (another
 * event) move nothing.
 */
export type TransferStatus = 'credited' | 'held' | 'conflict' | 'unmatched' | 'ignored';

@Entity('inbound_transfers')
@Index('inbound_transfers_seen', ['reference'], { unique: true, where: `status IN ('credited', 'held')` })
@Index('inbound_transfers_recorded', ['bodyHash', 'status'], {
  unique: true,
  where: `status IN ('conflict', 'unmatched')`,
})
@Index('inbound_transfers_ignored', ['ignoredSlot'], { unique: true, where: `status = 'ignored'` })
@Index('inbound_transfers_open', ['receivedAt', 'id'], {
  where: `status IN ('held', 'unmatched', 'conflict') AND returned_at IS NULL`,
})
@Index('inbound_transfers_credited', ['walletId', 'receivedAt'], { where: `status = 'credited'` })
@Check('inbound_transfers_status_check', `status IN ('credited', 'held', 'conflict', 'unmatched', 'ignored')`)
@Check('inbound_transfers_amount_check', 'amount > 0')
@Check('inbound_transfers_slot', `(ignored_slot IS NULL) = (status <> 'ignored')`)
@Check(
  'inbound_transfers_conflict',
  `status <> 'conflict' OR num_nulls(account_reference, amount, currency) = 0`,
)
export class InboundTransfer {
  @PrimaryColumn('uuid')
  id: string;

  @Column('text')
  status: TransferStatus;

  @Column('text', { nullable: true })
  reference: string | null;

  /** Null: names no wallet. */
  @Column('uuid', { name: 'wallet_id', nullable: true })
  walletId: string | null;

  /** As sent. */
  @Column('text', { name: 'account_reference', nullable: true })
  accountReference: string | null;

  @Column('bigint', { nullable: true })
  amount: Kobo | null;

  /** In upper case. */
  @Column('text', { nullable: true })
  currency: string | null;

  /** As sent. */
  @Column('text', { name: 'bank_status', nullable: true })
  bankStatus: string | null;

  @Column('text', { nullable: true })
  narration: string | null;

  @Column('text', { nullable: true })
  reason: string | null;

  /** Empty once archived. */
  @Column('text')
  body: string;

  @Column('bytea', { name: 'body_hash' })
  bodyHash: Buffer;

  @Column('integer', { default: 1 })
  deliveries: number;

  @Column('timestamptz', { name: 'received_at' })
  receivedAt: Date;

  @Column('timestamptz', { name: 'returned_at', nullable: true })
  returnedAt: Date | null;

  /** Slot of an ignored event; slots are reused. */
  @Column('integer', { name: 'ignored_slot', nullable: true })
  ignoredSlot: number | null;
}

/** See `npm run archive`. */
@Entity('archived_bodies')
@Check('archived_bodies_check', 'first_id <= last_id AND cardinality(ids) = cardinality(bodies)')
export class ArchivedBodies {
  @PrimaryColumn('uuid', { name: 'last_id' })
  lastId: string;

  @Column('uuid', { name: 'first_id' })
  firstId: string;

  @Column('uuid', { array: true })
  ids: readonly string[];

  @Column('text', { array: true })
  bodies: readonly string[];
}
