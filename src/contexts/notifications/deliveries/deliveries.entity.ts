import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { EventName } from '../notifications.domain.js';

/** The row is also the delivery's place in the queue. */
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

  /** Header webhook-id: one per event, for all endpoints and attempts. */
  @Column('uuid', { name: 'event_id' })
  eventId: string;

  @Column('text')
  event: EventName;

  @Column('uuid', { name: 'wallet_id', nullable: true })
  walletId: string | null;

  @Column('boolean', { name: 'is_test', default: false })
  isTest: boolean;

  /** Exactly the bytes that are signed and sent. */
  @Column('text')
  body: string;

  @Column('text', { default: 'pending' })
  status: 'pending' | 'succeeded' | 'failed';

  /** Attempts since it was created or last resent. */
  @Column('integer', { default: 0 })
  tries: number;

  /** All attempts. */
  @Column('integer', { default: 0 })
  attempts: number;

  @Column('timestamptz', { name: 'next_attempt_at' })
  nextAttemptAt: Date;

  /** Attempt in progress; its lease starts at `claimedAt`. */
  @Column('uuid', { nullable: true })
  claim: string | null;

  @Column('timestamptz', { name: 'claimed_at', nullable: true })
  claimedAt: Date | null;

  @Column('timestamptz', { name: 'last_attempt_at', nullable: true })
  lastAttemptAt: Date | null;

  @Column('timestamptz', { name: 'finished_at', nullable: true })
  finishedAt: Date | null;

  /** Reason of the last failure, or of the cancellation. */
  @Column('text', { name: 'failure_reason', nullable: true })
  failureReason: string | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  /** Request of the payment that it is about. */
  @Column('text', { name: 'request_id', nullable: true })
  requestId: string | null;

  /** W3C `traceparent` of its span. */
  @Column('text', { name: 'trace_parent', nullable: true })
  traceParent: string | null;
}

/** Its id is that of its claim. Deleted with its delivery. */
@Entity('webhook_attempts')
export class WebhookAttempt {
  @PrimaryColumn('uuid', { name: 'delivery_id' })
  deliveryId: string;

  @PrimaryColumn('uuid')
  id: string;

  @Column('timestamptz')
  at: Date;

  /** Null if the end was not seen. */
  @Column('integer', { name: 'duration_ms', nullable: true })
  durationMs: number | null;

  @Column('integer', { name: 'status_code', nullable: true })
  statusCode: number | null;

  @Column('text', { nullable: true })
  response: string | null;

  @Column('text', { nullable: true })
  error: string | null;

  /** Header webhook-signature; null if nothing was sent, or on attempts older than the column. */
  @Column('text', { nullable: true })
  signature: string | null;
}

/** Test deliveries of an account, resent ones too, for the rate limits. */
@Entity('webhook_tests')
export class WebhookTest {
  @PrimaryColumn('uuid', { name: 'user_id' })
  accountId: string;

  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid', { name: 'endpoint_id' })
  endpointId: string;

  @Column('timestamptz')
  at: Date;
}
