import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';
import type { CaseOpened } from './operations.events.js';

@Entity('operator_cases')
@Unique('operator_cases_kind_subject_key', ['kind', 'subject'])
export class OperatorCase {
  @PrimaryColumn('uuid')
  id: string;

  @Column('text')
  kind: CaseOpened['kind'];

  /** Reference of its subject, or the day. */
  @Column('text')
  subject: string;

  @Column('uuid', { name: 'wallet_id', nullable: true })
  walletId: string | null;

  @Column('text')
  description: string;

  @Column('uuid', { name: 'owner_id', nullable: true })
  ownerId: string | null;

  @Column('timestamptz', { name: 'opened_at' })
  openedAt: Date;

  /** Null: open. */
  @Column('timestamptz', { name: 'closed_at', nullable: true })
  closedAt: Date | null;
}
