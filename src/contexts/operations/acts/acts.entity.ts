import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Kobo } from '../../../kernel/money.js';
import type { ActDetails, ActName } from './acts.domain.js';

/** Appended only; a trigger refuses changes. */
@Entity('operator_acts')
@Index('operator_acts_by_time', ['at', 'id'])
@Check('operator_acts_two_people', 'confirmed_by <> operator_id')
export class OperatorAct {
  @PrimaryColumn('uuid')
  id: string;

  @Column('timestamptz')
  at: Date;

  /** Null: the command line. */
  @Column('uuid', { name: 'operator_id', nullable: true })
  operatorId: string | null;

  /** The second person, above `OPERATOR_FOUR_EYES_KOBO`. */
  @Column('uuid', { name: 'confirmed_by', nullable: true })
  confirmedBy: string | null;

  @Column('text')
  act: ActName | 'operator.grant' | 'operator.revoke';

  @Column('text')
  subject: string;

  @Column('uuid', { name: 'case_id', nullable: true })
  caseId: string | null;

  @Column('bigint', { nullable: true })
  amount: Kobo | null;

  @Column('text')
  reason: string;

  @Column('jsonb')
  before: object;

  @Column('jsonb')
  after: object;
}

@Entity('operator_proposals')
@Index('operator_proposals_open', ['act', 'subject'], { unique: true, where: 'decision IS NULL' })
@Check('operator_proposals_decision_check', `decision IN ('confirmed', 'rejected')`)
@Check('operator_proposals_decided', 'num_nulls(decision, decided_by, decided_at) IN (0, 3)')
@Check('operator_proposals_two_people', `decision <> 'confirmed' OR decided_by <> proposed_by`)
export class OperatorProposal {
  @PrimaryColumn('uuid')
  id: string;

  @Column('text')
  act: ActName;

  @Column('text')
  subject: string;

  @Column('jsonb')
  details: ActDetails;

  @Column('bigint')
  amount: Kobo;

  @Column('text')
  reason: string;

  @Column('uuid', { name: 'proposed_by' })
  proposedBy: string;

  @Column('timestamptz', { name: 'proposed_at' })
  proposedAt: Date;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt: Date;

  @Column('text', { nullable: true })
  decision: 'confirmed' | 'rejected' | null;

  @Column('uuid', { name: 'decided_by', nullable: true })
  decidedBy: string | null;

  @Column('timestamptz', { name: 'decided_at', nullable: true })
  decidedAt: Date | null;
}
