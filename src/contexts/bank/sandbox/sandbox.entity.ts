import { Column, Entity, Generated, Index, PrimaryColumn, Unique } from 'typeorm';
import type { Kobo } from '../../../kernel/money.js';

// The books of the sandbox bank: no other context reads or writes these tables.

/** An account that was issued. Its number is the serial with a check digit. */
@Entity('sandbox_accounts')
@Unique('sandbox_accounts_serial_key', ['serial'])
export class SandboxAccount {
  @PrimaryColumn('text', { name: 'account_reference' })
  accountReference: string;

  // TypeORM can do identity columns; its types know them of primary keys alone.
  @Column({ type: 'bigint', generatedIdentity: 'ALWAYS' })
  @Generated('identity' as 'increment')
  serial: number;

  @Column('text', { name: 'account_name' })
  accountName: string;
}

/** A payout that was accepted: how it stands follows from its account and its age. */
@Entity('sandbox_payouts')
export class SandboxPayout {
  @PrimaryColumn('uuid')
  reference: string;

  @Column('bigint')
  amount: Kobo;

  @Column('text', { name: 'bank_code' })
  bankCode: string;

  @Column('text', { name: 'account_number' })
  accountNumber: string;

  @Column('timestamptz', { name: 'accepted_at' })
  acceptedAt: Date;
}

/** Money that reached an account. */
@Entity('sandbox_collections')
@Index('sandbox_collections_by_account', ['accountNumber', 'at'])
export class SandboxCollection {
  @PrimaryColumn('text')
  reference: string;

  @Column('text', { name: 'account_number' })
  accountNumber: string;

  @Column('bigint')
  amount: Kobo;

  @Column('text', { nullable: true })
  narration: string | null;

  @Column('timestamptz')
  at: Date;
}
