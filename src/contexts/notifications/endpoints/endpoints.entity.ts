import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { EventName } from '../notifications.domain.js';
import type { SealedSecret } from './endpoints.domain.js';

/** Webhook endpoint. Deletion only marks it, since its deliveries stay on record. */
@Entity('webhook_endpoints')
@Index('webhook_endpoints_by_user', ['accountId'], { where: 'deleted_at IS NULL' })
@Check('webhook_endpoints_events_check', 'cardinality(events) > 0')
@Check('webhook_endpoints_wallet_ids_check', 'cardinality(wallet_ids) > 0')
@Check('webhook_endpoints_status_check', `status IN ('enabled', 'disabled')`)
@Check('webhook_endpoints_check', `(status = 'disabled') = (disabled_at IS NOT NULL)`)
export class WebhookEndpoint {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid', { name: 'user_id' })
  accountId: string;

  /** Normalized. */
  @Column('text')
  url: string;

  @Column('text', { array: true })
  events: readonly EventName[];

  /** Null: all wallets of the account, future ones too. */
  @Column('uuid', { name: 'wallet_ids', array: true, nullable: true })
  walletIds: readonly string[] | null;

  @Column('text', { nullable: true })
  description: string | null;

  @Column('text', { default: 'enabled' })
  status: 'enabled' | 'disabled';

  @Column('text', { name: 'disabled_reason', nullable: true })
  disabledReason: string | null;

  @Column('timestamptz', { name: 'disabled_at', nullable: true })
  disabledAt: Date | null;

  /** Newest first; encrypted. */
  @Column('jsonb', { select: false })
  secrets: readonly SealedSecret[];

  /** Start of an unbroken series of failures; null after a success. */
  @Column('timestamptz', { name: 'failing_since', nullable: true })
  failingSince: Date | null;

  @Column('timestamptz', { name: 'last_failed_at', nullable: true })
  lastFailedAt: Date | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  @Column('timestamptz', { name: 'deleted_at', nullable: true })
  deletedAt: Date | null;
}
