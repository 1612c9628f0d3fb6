import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Kobo } from '../../kernel/money.js';
import type { SettlementStatus, SettlementStep } from './settlement.port.js';

/** The payout of one approved payment or of one withdrawal: the row is the queue, claimed by set-based SQL alone. */
@Entity('settlements')
@Index('settlements_due', ['nextPollAt'], { where: 'next_poll_at IS NOT NULL' })
@Check('settlements_check', 'is_settlement_state(status, next_poll_at)')
export class SettlementRecord {
  /** The id of the transaction or of the withdrawal: minted once, never changed. */
  @PrimaryColumn('uuid')
  reference: string;

  @PrimaryColumn('uuid', { name: 'wallet_id' })
  walletId: string;

  @Column('bigint')
  amount: Kobo;

  @Column('text', { name: 'account_no' })
  accountNo: string;

  @Column('text', { name: 'bank_code' })
  bankCode: string;

  @Column('text')
  narration: string;

  /** An owner takes money out; else an agent pays. */
  @Column('boolean', { name: 'is_withdrawal', default: false })
  isWithdrawal: boolean;

  @Column('text', { default: 'pending' })
  status: SettlementStatus;

  /** How it ended. The start is not stored: `allSteps` adds it. */
  @Column('jsonb')
  steps: readonly SettlementStep[];

  /** When the payment was approved, or the withdrawal asked for. */
  @Column('timestamptz', { name: 'approved_at' })
  approvedAt: Date;

  @Column('integer', { name: 'poll_count', default: 0 })
  pollCount: number;

  /** When it is processed next; null once it is final. */
  @Column('timestamptz', { name: 'next_poll_at', nullable: true })
  nextPollAt: Date | null;

  /** When it was last submitted to the bank. */
  @Column('timestamptz', { name: 'submitted_at', nullable: true })
  submittedAt: Date | null;
}
