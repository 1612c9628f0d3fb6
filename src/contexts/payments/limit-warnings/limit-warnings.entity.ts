import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** The last warning of each budget and share. */
@Entity('limit_warnings')
@Check('limit_warnings_budget_check', `budget IN ('period', 'total')`)
@Check('limit_warnings_percent_check', 'percent IN (80, 100)')
export class LimitWarning {
  @PrimaryColumn('uuid', { name: 'wallet_id' })
  walletId: string;

  /** The wallet's own id for its own limit. */
  @PrimaryColumn('uuid', { name: 'key_id' })
  keyId: string;

  @PrimaryColumn('text')
  budget: 'period' | 'total';

  @PrimaryColumn('integer')
  percent: 80 | 100;

  @Column('bigint', { name: 'limit_amount' })
  limitAmount: number;

  @Column('timestamptz', { name: 'warned_at' })
  warnedAt: Date;
}
