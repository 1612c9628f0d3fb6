import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

/** VAPID; browsers subscribe to the newest. */
@Entity('push_keys')
export class PushKey {
  @PrimaryColumn('uuid')
  id: string;

  @Column('text', { name: 'public_key' })
  publicKey: string;

  @Column('text', { name: 'sealed_private_key' })
  sealedPrivateKey: string;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;
}

@Entity('push_subscriptions')
@Index('push_subscriptions_by_user', ['userId', 'createdAt'])
@Unique('push_subscriptions_endpoint_key', ['endpoint'])
export class PushSubscription {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid', { name: 'user_id' })
  userId: string;

  /** Ends it, unless by expiry. */
  @Column('uuid', { name: 'session_id' })
  sessionId: string;

  @Column('uuid', { name: 'key_id' })
  keyId: string;

  @Column('text')
  endpoint: string;

  @Column('text')
  p256dh: string;

  @Column('text')
  auth: string;

  @Column('text', { nullable: true })
  device: string | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;
}

@Entity('push_budgets')
export class PushBudget {
  @PrimaryColumn('uuid', { name: 'user_id' })
  userId: string;

  @Column('timestamptz')
  hour: Date;

  @Column('integer')
  pushes: number;
}
