import { Check, Column, Entity, PrimaryColumn } from 'typeorm';
import type { BlockReason } from '../payments/payments.events.js';

/** Rules of an owner's trial, as they were given; what is absent is as it is for the wallet. */
export interface TrialRules {
  readonly spendLimitPerTx?: number;
  readonly spendLimitPeriod?: number;
  readonly periodWindowDays?: number;
  /** ISO 8601. */
  readonly expiry?: string;
  readonly useAllowlist?: boolean;
  readonly merchantAllowlist?: readonly string[];
}

/** Rules that are judged beside those of a wallet, up to which attempt they were, and what came of it. */
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

  /** In kobo, as text: it may be past what a number holds. */
  @Column('numeric', { name: 'to_approved_sum', default: 0 })
  toApprovedSum: string;

  @Column('bigint', { name: 'to_blocked_count', default: 0 })
  toBlockedCount: number;

  @Column('numeric', { name: 'to_blocked_sum', default: 0 })
  toBlockedSum: string;
}

/** An attempt that shadow rules decide otherwise. */
@Entity('shadow_flips')
export class ShadowFlip {
  @PrimaryColumn('uuid', { name: 'wallet_id' })
  walletId: string;

  @PrimaryColumn('bigint')
  seq: number;

  @Column('uuid', { name: 'transaction_id' })
  transactionId: string;

  /** Null: it would have been approved. */
  @Column('text', { name: 'block_reason', nullable: true })
  blockReason: BlockReason | null;
}
