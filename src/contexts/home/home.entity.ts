import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('home_visits')
export class HomeVisit {
  @PrimaryColumn('uuid', { name: 'user_id' })
  userId: string;

  /** End of the previous visit. */
  @Column('timestamptz')
  since: Date;

  @Column('timestamptz', { name: 'seen_at' })
  seenAt: Date;
}
