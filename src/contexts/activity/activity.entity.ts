import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Rows are added, and deleted once they are old. */
@Entity('account_activity')
@Index('account_activity_by_time', ['accountId', 'at'])
@Index('account_activity_by_age', ['at'])
export class Activity {
  @PrimaryColumn('uuid', { name: 'account_id' })
  accountId: string;

  /** In order of time. */
  @PrimaryColumn('uuid')
  id: string;

  @Column('timestamptz')
  at: Date;

  @Column('uuid', { name: 'user_id', nullable: true })
  userId: string | null;

  /** E-mail at that time. */
  @Column('text', { nullable: true })
  actor: string | null;

  @Column('text')
  act: string;

  /** Id of what it was done to. */
  @Column('text', { nullable: true })
  subject: string | null;

  @Column('jsonb', { nullable: true })
  before: object | null;

  @Column('jsonb', { nullable: true })
  after: object | null;

  @Column('text', { nullable: true })
  address: string | null;

  @Column('text', { name: 'request_id', nullable: true })
  requestId: string | null;
}
