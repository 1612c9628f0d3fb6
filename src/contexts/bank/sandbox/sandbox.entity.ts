import { Column, Entity, Generated, Index, PrimaryColumn, Unique } from 'typeorm';
import type { Kobo } from '../../../kernel/money.js';

// The books of the sandbox bank: no other context reads or writes these tables.

@Entity('sandbox_accounts')
@Unique('sandbox_accounts_serial_key', ['serial'])
export class SandboxAccount {
  @PrimaryColumn('text', { name: 'account_reference' })
  accountReference: string;

  // TypeORM's types know identity for primary keys alone.
  @Column({ type: 'bigint', generatedIdentity: 'ALWAYS' })
  @Generated('identity' as 'increment')
  serial: number;

  @Column('text', { name: 'account_name' })
  accountName: string;
}

/** Its state follows from account and age. */
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
