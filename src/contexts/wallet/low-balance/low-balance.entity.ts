import { Check, Column, Entity, PrimaryColumn } from 'typeorm';
import type { Kobo } from '../../../kernel/money.js';

@Entity('low_balance_thresholds')
@Check('low_balance_thresholds_threshold_check', 'threshold > 0')
export class LowBalanceThreshold {
  @PrimaryColumn('uuid', { name: 'wallet_id' })
  walletId: string;

  @Column('bigint')
  threshold: Kobo;
}
