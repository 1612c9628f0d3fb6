import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/** One per user at most. */
@Entity('businesses')
@Unique('businesses_user_id_key', ['accountId'])
export class Business {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid', { name: 'user_id' })
  accountId: string;

  @Column('text')
  name: string;

  @Column('text', { name: 'contact_email' })
  contactEmail: string;

  @Column('text', { name: 'contact_phone', nullable: true })
  contactPhone: string | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;
}
