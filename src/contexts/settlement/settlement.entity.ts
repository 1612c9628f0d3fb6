import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Kobo } from '../../kernel/money.js';
import type { SettlementStatus, SettlementStep } from './settlement.port.js';

abstract class PayoutRow {
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

  @Column('timestamptz', { name: 'approved_at' })
  approvedAt: Date;

  @Column('timestamptz', { name: 'submitted_at', nullable: true })
  submittedAt: Date | null;

  @Column('text', { name: 'request_id', nullable: true })
  requestId: string | null;

  @Column('text', { name: 'trace_parent', nullable: true })
  traceParent: string | null;
}

/** Payout of a payment or withdrawal. The row is the queue; claimed by set-based SQL alone. */
@Entity('settlements')
@Index('settlements_due', ['nextPollAt'], { where: 'next_poll_at IS NOT NULL' })
// A function: see `transactions_check`.
@Check('settlements_check', 'is_settlement_state(status, next_poll_at)')
export class SettlementRecord extends PayoutRow {
  @Column('boolean', { name: 'is_withdrawal', default: false })
  isWithdrawal: boolean;

  @Column('text', { default: 'pending' })
  status: SettlementStatus;

  /** Without the first step, which `allSteps` adds. */
  @Column('jsonb')
  steps: readonly SettlementStep[];

  @Column('integer', { name: 'poll_count', default: 0 })
  pollCount: number;

  /** Null once final. */
  @Column('timestamptz', { name: 'next_poll_at', nullable: true })
  nextPollAt: Date | null;
}

/** Ended one of a closed month: see `npm run archive`. */
@Entity('archived_settlements')
@Check('archived_settlements_status_check', `status IN ('succeeded', 'failed', 'reversed')`)
@Check('archived_settlements_steps_check', '(steps IS NULL) = (paid_at IS NOT NULL)')
export class ArchivedSettlement extends PayoutRow {
  /** Instead of `steps`, if the bank paid it and nothing else happened. */
  @Column('timestamptz', { name: 'paid_at', nullable: true })
  paidAt: Date | null;

  @Column('integer', { name: 'poll_count' })
  pollCount: number;

  @Column('boolean', { name: 'is_withdrawal' })
  isWithdrawal: boolean;

  @Column('text')
  status: SettlementStatus;

  @Column('jsonb', { nullable: true })
  steps: readonly SettlementStep[] | null;
}
