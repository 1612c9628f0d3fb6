import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/** The business of a user, who has one at most. */
@Entity('businesses')
@Unique('businesses_user_id_key', ['userId'])
export class Business {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid', { name: 'user_id' })
  userId: string;

  @Column('text')
  name: string;

  @Column('text', { name: 'contact_email' })
  contactEmail: string;

  /** As supplied, null when it never was. */
  @Column('text', { name: 'contact_phone', nullable: true })
  contactPhone: string | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;
}
