import { Injectable } from '@nestjs/common';
import { databaseNow } from '../../../platform/database/clock.js';
import { Database } from '../../../platform/database/database.js';
import type { Queryable } from '../../../platform/database/tx.js';
import { RowStatement } from '../../../platform/database/row-statement.js';
import { Events } from '../../../platform/events/events.js';
import { WebhookEndpoint } from '../endpoints/endpoints.entity.js';
import { EndpointStore } from '../endpoints/endpoints.store.js';
import type {
  DeliveryAttempt,
  Claimed,
  DeliveryQueue,
  DueEndpoint,
  Finished,
  DeliveryVerdict,
  Wanted,
} from './deliveries.domain.js';
import { EndpointDisabled } from '../notifications.events.js';
import { recordHealth } from './endpoint-health.js';

const CANCELLED_AT_ONCE = 2_000;
const NOW = `date_trunc('milliseconds', clock_timestamp())`;

interface AttemptRow {
  readonly deliveryId: string;
  readonly claim: string;
  readonly at: Date;
  readonly durationMs: number | null;
  readonly statusCode: number | null;
  readonly response: string | null;
  readonly error: string | null;
  readonly signature: string | null;
}

/** Records attempts. Overwrites an attempt that a later claim recorded as lost. */
const RECORD_ATTEMPTS = new RowStatement<AttemptRow>(
  'webhook_attempts',
  {
    deliveryId: 'uuid',
    claim: 'uuid',
    at: 'timestamptz',
    durationMs: 'integer',
    statusCode: 'integer',
    response: 'text',
    error: 'text',
    signature: 'text',
  },
  (
    rows,
  ) => `INSERT INTO webhook_attempts (delivery_id, id, at, duration_ms, status_code, response, error, signature)
     SELECT r.* FROM ${rows}
     ON CONFLICT (delivery_id, id) DO UPDATE SET at = excluded.at, duration_ms = excluded.duration_ms,
       status_code = excluded.status_code, response = excluded.response, error = excluded.error,
       signature = excluded.signature`,
);

interface DeliveryUpdate {
  readonly endpointId: string;
  readonly deliveryId: string;
  readonly claim: string;
  readonly at: Date;
  readonly status: DeliveryVerdict['status'];
  readonly reason: string | null;
  readonly tries: number;
  readonly waitMs: number;
}

/** Only while the attempt's claim still holds them. */
const UPDATE_DELIVERIES = new RowStatement<DeliveryUpdate>(
  'webhook_deliveries',
  {
    endpointId: 'uuid',
    deliveryId: 'uuid',
    claim: 'uuid',
    at: 'timestamptz',
    status: 'text',
    reason: 'text',
    tries: 'integer',
    waitMs: 'bigint',
  },
  (rows) => `UPDATE webhook_deliveries d
        SET status = r.status, tries = d.tries + r.tries, attempts = d.attempts + 1, claim = NULL, claimed_at = NULL,
            last_attempt_at = r.at, failure_reason = r.reason,
            next_attempt_at = clock_timestamp() + r.waitMs * interval '1 millisecond',
            finished_at = CASE WHEN r.status <> 'pending' THEN ${NOW} END
       FROM ${rows} WHERE d.endpoint_id = r.endpointId AND d.id = r.deliveryId AND d.claim = r.claim`,
);

/**
 * SQL: delivery `d` is pending and unclaimed. A claim changes no indexed column, so it adds no index entry.
 */
const isFree = (leaseMs: string): string =>
  `d.status = 'pending' AND (d.claim IS NULL OR d.claimed_at <= now() - ${leaseMs} * interval '1 millisecond')`;

@Injectable()
export class DeliveryQueueStore implements DeliveryQueue {
  constructor(
    private readonly database: Database,
    private readonly endpoints: EndpointStore,
    private readonly events: Events,
  ) {}

  /** One index step per endpoint, however long its queue is. */
  async due(leaseMs: number): Promise<{ endpoints: DueEndpoint[]; isAnyPending: boolean }> {
    const found = await this.database.query<DueEndpoint & { isDue: boolean }>(
      `WITH RECURSIVE first AS (
         (SELECT endpoint_id AS id, next_attempt_at AS at FROM webhook_deliveries d WHERE ${isFree('$1')}
           ORDER BY endpoint_id, next_attempt_at LIMIT 1)
         UNION ALL
         SELECT next.* FROM first CROSS JOIN LATERAL (
           SELECT d.endpoint_id, d.next_attempt_at FROM webhook_deliveries d
            WHERE ${isFree('$1')} AND d.endpoint_id > first.id
            ORDER BY d.endpoint_id, d.next_attempt_at LIMIT 1) next
       )
       SELECT id, at AS "since", at <= now() AS "isDue" FROM first`,
      [leaseMs],
    );
    return { endpoints: found.filter(({ isDue }) => isDue), isAnyPending: found.length > 0 };
  }

  /**
   * Claims the longest due first. An expired claim is a lost attempt. By ctid: by key, PostgreSQL may read
   * the whole table.
   */
  claim(wanted: readonly Wanted[], claim: string, leaseMs: number): Promise<Claimed[]> {
    return this.database.query<Claimed>(
      `WITH due AS MATERIALIZED (
         SELECT d.*
           FROM unnest($1::uuid[], $2::integer[], $5::timestamptz[]) AS want (endpoint_id, available_slots, since)
          CROSS JOIN LATERAL (
            SELECT ctid AS place, id, claim, claimed_at FROM webhook_deliveries d
             WHERE endpoint_id = want.endpoint_id AND ${isFree('$4')} AND next_attempt_at BETWEEN want.since AND now()
             ORDER BY next_attempt_at LIMIT want.available_slots FOR UPDATE SKIP LOCKED) d
       ), lost AS (
         INSERT INTO webhook_attempts (delivery_id, id, at, error)
         SELECT id, claim, claimed_at, 'the service stopped in the middle; whether this arrived is not known'
           FROM due WHERE claim IS NOT NULL ON CONFLICT DO NOTHING
       )
       UPDATE webhook_deliveries d
          SET claim = $3, claimed_at = clock_timestamp(), attempts = d.attempts + (d.claim IS NOT NULL)::integer
         FROM webhook_endpoints e
        WHERE d.ctid = ANY (ARRAY (SELECT place FROM due)) AND e.id = d.endpoint_id
       RETURNING d.id, d.endpoint_id AS "endpointId", d.event_id AS "eventId", d.request_id AS "requestId", d.trace_parent AS "traceParent",
         d.body, d.tries, e.url, e.secrets,
         e.status = 'enabled' AND e.deleted_at IS NULL AS "isEnabled", d.claimed_at AS "claimedAt"`,
      [
        wanted.map(({ endpointId }) => endpointId),
        wanted.map(({ availableSlots }) => availableSlots),
        claim,
        leaseMs,
        wanted.map(({ since }) => since.toISOString()),
      ],
    );
  }

  /** Cancels up to {@link CANCELLED_AT_ONCE}, except those being sent. Returns how many. */
  async cancelPending(
    endpointId: string,
    reason: string,
    claim: string | null,
    to: Queryable = this.database,
  ): Promise<number> {
    const rows = await to.query(
      `WITH part AS MATERIALIZED (
         SELECT d.ctid AS place FROM webhook_deliveries d
          WHERE d.endpoint_id = $1 AND d.status = 'pending' AND (d.claim IS NULL OR d.claim = $3)
            AND EXISTS (SELECT FROM webhook_endpoints e
                         WHERE e.id = $1 AND (e.status <> 'enabled' OR e.deleted_at IS NOT NULL))
          ORDER BY d.next_attempt_at LIMIT ${CANCELLED_AT_ONCE} FOR UPDATE OF d SKIP LOCKED
       )
       UPDATE webhook_deliveries d
          SET status = 'failed', finished_at = ${NOW}, failure_reason = $2, claim = NULL, claimed_at = NULL
        WHERE d.ctid = ANY (ARRAY (SELECT place FROM part)) RETURNING 1`,
      [endpointId, reason, claim],
    );
    return rows.length;
  }

  /** In parts, each within the deadline. The rest is cancelled when it falls due. */
  async cancelRest(endpointId: string, reason: string): Promise<void> {
    while ((await this.cancelPending(endpointId, reason, null)) === CANCELLED_AT_ONCE);
  }

  disableEndpoint(endpointId: string, reason: string, url: string | null): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      if (!(await this.endpoints.disable(endpointId, reason, url, tx))) return false;
      await this.cancelPending(endpointId, `the endpoint is disabled: ${reason}`, null, tx);
      const { accountId, url: at } = await tx
        .repository(WebhookEndpoint)
        .findOneOrFail({ select: { accountId: true, url: true }, where: { id: endpointId } });
      await this.events.publish(
        [
          new EndpointDisabled({
            endpointId,
            userId: accountId,
            url: at,
            reason,
            at: new Date().toISOString(),
          }),
        ],
        tx,
      );
      return true;
    });
  }

  /** If another replica has claimed the delivery since, only the attempt is recorded. */
  record(finished: readonly Finished[]): Promise<string[]> {
    return this.database.transaction((tx) => {
      tx.writeRows(RECORD_ATTEMPTS, finished.map(attemptRow));
      tx.writeRows(UPDATE_DELIVERIES, finished.map(deliveryUpdate));
      return recordHealth(finished, this.events, tx);
    });
  }

  now(): Promise<Date> {
    return databaseNow(this.database);
  }

  /** Ids are UUIDs v7, in order of time. A delivery that is being resent is kept. */
  async purgeBefore(id: string, max: number): Promise<number> {
    const [gone] = await this.database.query<{ count: number }>(
      `WITH old AS MATERIALIZED (
         SELECT d.endpoint_id, d.id FROM webhook_endpoints e CROSS JOIN LATERAL (
           SELECT endpoint_id, id FROM webhook_deliveries
            WHERE endpoint_id = e.id AND id < $1 AND status <> 'pending' ORDER BY id LIMIT $2
              FOR UPDATE SKIP LOCKED) d
          LIMIT $2
       ), gone AS (
         DELETE FROM webhook_deliveries d USING old WHERE d.endpoint_id = old.endpoint_id AND d.id = old.id RETURNING d.id
       ), attempts AS (
         DELETE FROM webhook_attempts a USING gone WHERE a.delivery_id = gone.id
       )
       SELECT count(*) AS count FROM gone`,
      [id, max],
    );
    return gone?.count ?? 0;
  }
}

function attemptRow({ deliveryId, claim, attempt }: Finished): AttemptRow {
  const { at, durationMs, statusCode, response, error, signature } = attempt;
  return { deliveryId, claim, at, durationMs, statusCode, response, error, signature: signature ?? null };
}

function deliveryUpdate({ endpointId, deliveryId, claim, attempt, verdict }: Finished): DeliveryUpdate {
  return {
    endpointId,
    deliveryId,
    claim,
    at: attempt.at,
    status: verdict.status,
    reason: failureReason(verdict, attempt),
    tries: attempt.interrupted ? 0 : 1,
    waitMs: 'waitSeconds' in verdict ? Math.round(verdict.waitSeconds * 1_000) : 0,
  };
}

function failureReason(verdict: DeliveryVerdict, { error, statusCode }: DeliveryAttempt): string | null {
  if (verdict.status === 'succeeded') return null;
  return error ?? `answered ${statusCode ?? 'nothing'}`;
}
