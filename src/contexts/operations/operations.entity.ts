import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';
import type { CaseOpened } from './operations.events.js';

/** What a person must decide. */
@Entity('operator_cases')
@Unique('operator_cases_kind_subject_key', ['kind', 'subject'])
export class OperatorCase {
  @PrimaryColumn('uuid')
  id: string;

  @Column('text')
  kind: CaseOpened['kind'];

  /** The reference of what it is about; the day where it is about none. */
  @Column('text')
  subject: string;

  @Column('uuid', { name: 'wallet_id', nullable: true })
  walletId: string | null;

  @Column('text')
  description: string;

  @Column('timestamptz', { name: 'opened_at' })
  openedAt: Date;

  /** Null: it waits for a person. */
  @Column('timestamptz', { name: 'closed_at', nullable: true })
  closedAt: Date | null;
}
