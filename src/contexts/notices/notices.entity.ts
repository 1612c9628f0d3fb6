import { Check, Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { NoticeKind, NoticeParts } from './notices.domain.js';

/** A message to one person. */
@Entity('notices')
@Index('notices_by_user', ['userId', 'id'])
@Index('notices_by_key', ['accountId', 'key'], { where: 'key IS NOT NULL' })
@Unique('notices_user_id_key_key', ['userId', 'key'])
@Check('notices_outcome_check', '(outcome IS NULL) = (outcome_at IS NULL)')
export class Notice {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid', { name: 'user_id' })
  userId: string;

  @Column('uuid', { name: 'account_id' })
  accountId: string;

  @Column('text')
  kind: NoticeKind;

  /** Null: the same may be told again. */
  @Column('text', { nullable: true })
  key: string | null;

  @Column('uuid', { name: 'wallet_id', nullable: true })
  walletId: string | null;

  @Column('uuid', { name: 'subject_id', nullable: true })
  subjectId: string | null;

  @Column('jsonb', { name: 'data' })
  parts: NoticeParts;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  @Column('timestamptz', { name: 'read_at', nullable: true })
  readAt: Date | null;

  /** Set once somebody acted, or it settled itself. */
  @Column('text', { nullable: true })
  outcome: string | null;

  /** E-mail. */
  @Column('text', { name: 'outcome_by', nullable: true })
  outcomeBy: string | null;

  @Column('timestamptz', { name: 'outcome_at', nullable: true })
  outcomeAt: Date | null;

  @Column('boolean', { name: 'mail_due' })
  mailDue: boolean;

  @Column('boolean', { name: 'push_due', default: false })
  pushDue: boolean;

  /** A process sends it until then. */
  @Column('timestamptz', { name: 'leased_until', nullable: true })
  leasedUntil: Date | null;
}

@Entity('notice_settings')
export class NoticeSetting {
  @PrimaryColumn('uuid', { name: 'user_id' })
  userId: string;

  @PrimaryColumn('text')
  kind: NoticeKind;

  @Column('boolean')
  mail: boolean;

  /** Null: not chosen. */
  @Column('boolean', { nullable: true })
  push: boolean | null;
}

@Entity('notice_mail_budgets')
export class NoticeMailBudget {
  @PrimaryColumn('uuid', { name: 'account_id' })
  accountId: string;

  @Column('timestamptz')
  hour: Date;

  @Column('integer')
  mails: number;
}
