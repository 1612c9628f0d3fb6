import { Check, Column, Entity, PrimaryColumn } from 'typeorm';
import type { BlockReason } from '../../kernel/errors.js';

/** Absent members are the wallet's own. */
export interface TrialRules {
  readonly spendLimitPerTx?: number;
  readonly spendLimitPeriod?: number;
  readonly periodWindowDays?: number;
  /** ISO 8601. */
  readonly expiry?: string;
  readonly useAllowlist?: boolean;
  readonly merchantAllowlist?: readonly string[];
}

@Entity('shadow_rules')
@Check('shadow_rules_check', 'judged_seq >= 0 AND judged_count >= to_approved_count + to_blocked_count')
export class ShadowRules {
  @PrimaryColumn('uuid', { name: 'wallet_id' })
  walletId: string;

  @Column('jsonb')
  rules: TrialRules;

  @Column('timestamptz')
  since: Date;

  @Column('bigint', { name: 'judged_seq' })
  judgedSeq: number;

  @Column('bigint', { name: 'judged_count', default: 0 })
  judgedCount: number;

  @Column('bigint', { name: 'to_approved_count', default: 0 })
  toApprovedCount: number;

  /** In kobo, as text: may exceed exact numbers. */
  @Column('numeric', { name: 'to_approved_sum', default: 0 })
  toApprovedSum: string;

  @Column('bigint', { name: 'to_blocked_count', default: 0 })
  toBlockedCount: number;

  @Column('numeric', { name: 'to_blocked_sum', default: 0 })
  toBlockedSum: string;
}

@Entity('shadow_flips')
export class ShadowFlip {
  @PrimaryColumn('uuid', { name: 'wallet_id' })
  walletId: string;

  @PrimaryColumn('bigint')
  seq: number;

  @Column('uuid', { name: 'transaction_id' })
  transactionId: string;

  /** Null: approved. */
  @Column('text', { name: 'block_reason', nullable: true })
  blockReason: BlockReason | null;
}
