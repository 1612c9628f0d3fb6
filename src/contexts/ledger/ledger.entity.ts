import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Kobo } from '../../kernel/money.js';

/** One change of a balance. Appended only; a trigger refuses changes. */
@Entity('ledger_entries')
@Index('ledger_entries_once', ['transactionId', 'type', 'walletId'], {
  unique: true,
  where: 'transaction_id IS NOT NULL',
})
@Index('ledger_topups_once', ['reference', 'walletId'], { unique: true, where: `type = 'topup'` })
@Index('ledger_entries_by_time', ['walletId', 'createdAt', 'seq'])
// A function: see `transactions_check`.
@Check('ledger_entries_check', 'is_ledger_entry_state(seq, type, transaction_id)')
export class LedgerEntryRow {
  @PrimaryColumn('uuid', { name: 'wallet_id' })
  walletId: string;

  /** Place in the wallet's ledger: 1, 2, 3 … without gaps. */
  @PrimaryColumn('bigint')
  seq: number;

  @Column('uuid')
  id: string;

  @Column('text')
  type: 'topup' | 'debit' | 'refund';

  @Column('bigint')
  amount: Kobo;

  @Column('bigint', { name: 'balance_after' })
  balanceAfter: Kobo;

  /** Payment, or what `source` names; null for a top-up. */
  @Column('uuid', { name: 'transaction_id', nullable: true })
  transactionId: string | null;

  @Column('text')
  reference: string;

  @Column('text', { nullable: true })
  narration: string | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  @Column('text', { nullable: true })
  purpose: string | null;

  /** Null: a payment, or a transfer from outside. */
  @Column('text', { nullable: true })
  source: 'withdrawal' | 'transfer' | null;

  @Column('uuid', { name: 'case_id', nullable: true })
  caseId: string | null;
}
