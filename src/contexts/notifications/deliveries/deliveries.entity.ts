import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { EventName } from '../notifications.domain.js';

/** One event for one endpoint: its own durable job, pending until an answer is on record. */
@Entity('webhook_deliveries')
@Index('webhook_deliveries_due', ['endpointId', 'nextAttemptAt'], { where: `status = 'pending'` })
@Check('webhook_deliveries_status_check', `status IN ('pending', 'succeeded', 'failed')`)
@Check('webhook_deliveries_check', '(claim IS NULL) = (claimed_at IS NULL)')
@Check('webhook_deliveries_check1', `(status = 'pending') = (finished_at IS NULL)`)
export class WebhookDelivery {
  @PrimaryColumn('uuid', { name: 'endpoint_id' })
  endpointId: string;

  @PrimaryColumn('uuid')
  id: string;

  /** The header webhook-id: one event has one id, at every endpoint and over all attempts. */
  @Column('uuid', { name: 'event_id' })
  eventId: string;

  @Column('text')
  event: EventName;

  @Column('uuid', { name: 'wallet_id', nullable: true })
  walletId: string | null;

  @Column('boolean', { name: 'is_test', default: false })
  isTest: boolean;

  /** The bytes that are signed and sent. */
  @Column('text')
  body: string;

  @Column('text', { default: 'pending' })
  status: 'pending' | 'succeeded' | 'failed';

  /** Attempts since it was made or last resent. */
  @Column('integer', { default: 0 })
  tries: number;

  /** Attempts in all. */
  @Column('integer', { default: 0 })
  attempts: number;

  @Column('timestamptz', { name: 'next_attempt_at' })
  nextAttemptAt: Date;

  /** The attempt under way; it is over, whatever became of it, a lease after `claimedAt`. */
  @Column('uuid', { nullable: true })
  claim: string | null;

  @Column('timestamptz', { name: 'claimed_at', nullable: true })
  claimedAt: Date | null;

  @Column('timestamptz', { name: 'last_attempt_at', nullable: true })
  lastAttemptAt: Date | null;

  @Column('timestamptz', { name: 'finished_at', nullable: true })
  finishedAt: Date | null;

  /** Why the last attempt failed, or why there will be none. */
  @Column('text', { name: 'failure_reason', nullable: true })
  failureReason: string | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;
}

/** One attempt to deliver; its id is the claim it was made under. It is deleted with its delivery. */
@Entity('webhook_attempts')
export class WebhookAttempt {
  @PrimaryColumn('uuid', { name: 'delivery_id' })
  deliveryId: string;

  @PrimaryColumn('uuid')
  id: string;

  @Column('timestamptz')
  at: Date;

  /** Null when its end was not seen. */
  @Column('integer', { name: 'duration_ms', nullable: true })
  durationMs: number | null;

  @Column('integer', { name: 'status_code', nullable: true })
  statusCode: number | null;

  @Column('text', { nullable: true })
  response: string | null;

  @Column('text', { nullable: true })
  error: string | null;

  /** The header webhook-signature as it was sent; null when nothing was, or before it was kept. */
  @Column('text', { nullable: true })
  signature: string | null;
}

/** A test that a user sent to an endpoint, or sent again: what the limits of tests count. */
@Entity('webhook_tests')
export class WebhookTest {
  @PrimaryColumn('uuid', { name: 'user_id' })
  userId: string;

  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid', { name: 'endpoint_id' })
  endpointId: string;

  @Column('timestamptz')
  at: Date;
}
