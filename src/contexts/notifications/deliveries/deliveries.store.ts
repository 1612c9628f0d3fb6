import { Injectable } from '@nestjs/common';
import { AppError } from '../../../kernel/errors.js';
import { newId } from '../../../kernel/ids.js';
import type { Page, PageRequest } from '../../../kernel/page.js';
import { isUuid } from '../../../kernel/text.js';
import { Database } from '../../../platform/database/database.js';
import type { Queryable, Tx } from '../../../platform/database/tx.js';
import { RowStatement } from '../../../platform/database/row-statement.js';
import type { EventName } from '../notifications.domain.js';
import type { DeliveryAttempt, DeliveryVerdict } from './deliveries.domain.js';

export interface NewDelivery {
  readonly id: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly event: EventName;
  readonly walletId: string | null;
  readonly body: string;
  readonly isTest: boolean;
  readonly requestId: string | null;
  readonly traceParent: string | null;
}

type DeliveryStatus = DeliveryVerdict['status'];

export type DeliveryCounts = Readonly<Record<DeliveryStatus, number>>;

export interface Delivery extends Omit<NewDelivery, 'requestId' | 'traceParent'> {
  readonly status: DeliveryStatus;
  readonly attemptCount: number;
  /** Null if none is planned. */
  readonly nextAttemptAt: Date | null;
  readonly lastAttemptAt: Date | null;
  readonly finishedAt: Date | null;
  /** Reason of the last failure, or of the cancellation. */
  readonly failureReason: string | null;
  readonly createdAt: Date;
}

/** `durationMs` is null if the end was not seen. */
export type RecordedDeliveryAttempt = Pick<DeliveryAttempt, 'at' | 'statusCode' | 'response' | 'error'> & {
  readonly id: string;
  readonly durationMs: number | null;
  readonly signature: string | null;
};

/** Null members do not filter. */
export interface DeliveryFilter {
  readonly status: DeliveryStatus | null;
  readonly event: EventName | null;
}

/** Results of the newest {@link RECENT_DELIVERIES_MAX} deliveries of an endpoint. */
export interface EndpointHealth {
  readonly endpointId: string;
  readonly attempted: number;
  readonly succeeded: number;
  readonly lastFailedAt: Date | null;
  readonly lastFailureReason: string | null;
  readonly nextRetryAt: Date | null;
  readonly failingSince: Date | null;
}

export const RECENT_DELIVERIES_MAX = 100;
const SCANNED_MAX = 10_000;

const DELIVERY = `d.id, d.endpoint_id AS "endpointId", d.event_id AS "eventId", d.event, d.wallet_id AS "walletId",
  d.is_test AS "isTest", d.body, d.status, d.attempts AS "attemptCount",
  CASE WHEN d.status = 'pending' THEN coalesce(d.claimed_at, d.next_attempt_at) END AS "nextAttemptAt",
  d.last_attempt_at AS "lastAttemptAt", d.finished_at AS "finishedAt", d.failure_reason AS "failureReason",
  d.created_at AS "createdAt"`;
const NOW = `date_trunc('milliseconds', clock_timestamp())`;

const RESEND = `UPDATE webhook_deliveries d SET status = 'pending', tries = 0, finished_at = NULL, failure_reason = NULL,
  next_attempt_at = clock_timestamp()`;

const ADD = new RowStatement<NewDelivery>(
  'webhook_deliveries',
  {
    id: 'uuid',
    endpointId: 'uuid',
    eventId: 'uuid',
    event: 'text',
    walletId: 'uuid',
    isTest: 'boolean',
    body: 'text',
    requestId: 'text',
    traceParent: 'text',
  },
  (
    rows,
  ) => `INSERT INTO webhook_deliveries (id, endpoint_id, event_id, event, wallet_id, is_test, body, request_id,
     trace_parent, next_attempt_at,
     created_at) SELECT r.*, clock_timestamp(), ${NOW} FROM ${rows}`,
);

@Injectable()
export class DeliveryStore {
  constructor(private readonly database: Database) {}

  add(deliveries: readonly NewDelivery[], tx: Tx): void {
    tx.writeRows(ADD, deliveries);
  }

  /** By endpoint in the last minute, by account in the last hour; resent ones too. */
  async countTests(
    endpointId: string,
    accountId: string,
    tx: Tx,
  ): Promise<{ readonly toEndpoint: number; readonly byUser: number }> {
    const [row] = await tx.query<{ toEndpoint: number; byUser: number }>(
      `SELECT count(*) FILTER (WHERE endpoint_id = $1 AND at > now() - interval '1 minute') AS "toEndpoint",
              count(*) AS "byUser"
         FROM webhook_tests WHERE user_id = $2 AND at > now() - interval '1 hour'`,
      [endpointId, accountId],
    );
    return row ?? { toEndpoint: 0, byUser: 0 };
  }

  /** Records a test and drops the account's expired records. */
  async addTest(endpointId: string, accountId: string, tx: Tx): Promise<void> {
    await tx.query(
      `WITH past AS (DELETE FROM webhook_tests WHERE user_id = $1 AND at <= now() - interval '1 hour')
       INSERT INTO webhook_tests (user_id, id, endpoint_id, at) VALUES ($1, $2, $3, clock_timestamp())`,
      [accountId, newId(), endpointId],
    );
  }

  /** Newest first. `counts` ignores the status. */
  async deliveriesOf(
    endpointId: string,
    { status, event }: DeliveryFilter,
    { page, pageSize }: PageRequest,
  ): Promise<Page<Delivery> & { readonly counts: DeliveryCounts }> {
    const rows = await this.database.reads.query<Delivery>(
      `SELECT ${DELIVERY} FROM webhook_deliveries d WHERE d.endpoint_id = $1
          AND ($2::text IS NULL OR d.status = $2) AND ($3::text IS NULL OR d.event = $3)
        ORDER BY d.id DESC LIMIT $4 OFFSET $5`,
      [endpointId, status, event, pageSize, (page - 1) * pageSize],
    );
    const found = await this.database.reads.query<{ status: DeliveryStatus; count: number }>(
      `SELECT d.status, count(*) AS count FROM webhook_deliveries d WHERE d.endpoint_id = $1
          AND ($2::text IS NULL OR d.event = $2) GROUP BY 1`,
      [endpointId, event],
    );
    const counts = { pending: 0, succeeded: 0, failed: 0 };
    for (const each of found) counts[each.status] = each.count;
    const { pending, succeeded, failed } = counts;
    return { rows, total: status === null ? pending + succeeded + failed : counts[status], counts };
  }

  /**
   * Newest first, with the next cursor (null at the end). A filtered page may be short or empty before the
   * end.
   */
  async deliveriesBefore(
    endpointId: string,
    { status, event }: DeliveryFilter,
    before: string | null,
    limit: number,
  ): Promise<{ rows: readonly Delivery[]; next: string | null }> {
    const scannedMax = status === null && event === null ? limit + 1 : SCANNED_MAX;
    const [found] = await this.database.reads.query<{ ids: string[]; scanned: number; last: string }>(
      `WITH scanned AS MATERIALIZED (
         SELECT d.id, d.status, d.event FROM webhook_deliveries d
          WHERE d.endpoint_id = $1 AND d.id < coalesce($4::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
          ORDER BY d.id DESC LIMIT $5
       )
       SELECT ARRAY (SELECT s.id FROM scanned s WHERE ($2::text IS NULL OR s.status = $2)
                        AND ($3::text IS NULL OR s.event = $3) ORDER BY s.id DESC LIMIT $6) AS ids,
              (SELECT count(*) FROM scanned) AS scanned, (SELECT s.id FROM scanned s ORDER BY s.id LIMIT 1) AS last`,
      [endpointId, status, event, before, scannedMax, limit + 1],
    );
    const { ids, scanned, last } = found as { ids: string[]; scanned: number; last: string };
    const shown = ids.slice(0, limit);
    const rows = await this.database.reads.query<Delivery>(
      `SELECT ${DELIVERY} FROM webhook_deliveries d WHERE d.endpoint_id = $1 AND d.id = ANY ($2::uuid[])
        ORDER BY d.id DESC`,
      [endpointId, shown],
    );
    if (ids.length > limit) return { rows, next: shown.at(-1) ?? null };
    return { rows, next: scanned < scannedMax ? null : last };
  }

  /** Bounded seeks per endpoint. */
  healthOf(endpointIds: readonly string[]): Promise<EndpointHealth[]> {
    return this.database.reads.query<EndpointHealth>(
      `SELECT e.id AS "endpointId", recent.attempted, recent.succeeded, failure.at AS "lastFailedAt",
              failure.reason AS "lastFailureReason", retry.at AS "nextRetryAt",
              (SELECT w.failing_since FROM webhook_endpoints w WHERE w.id = e.id) AS "failingSince"
         FROM unnest($1::uuid[]) AS e (id)
        CROSS JOIN LATERAL (
          SELECT count(*) FILTER (WHERE d.status <> 'pending' OR d.tries > 0) AS attempted,
                 count(*) FILTER (WHERE d.status = 'succeeded') AS succeeded
            FROM (SELECT status, tries FROM webhook_deliveries WHERE endpoint_id = e.id
                   ORDER BY id DESC LIMIT ${RECENT_DELIVERIES_MAX}) d) recent
         LEFT JOIN LATERAL (
          SELECT d.last_attempt_at AS at, d.failure_reason AS reason
            FROM (SELECT status, tries, last_attempt_at, failure_reason FROM webhook_deliveries
                   WHERE endpoint_id = e.id ORDER BY id DESC LIMIT ${RECENT_DELIVERIES_MAX}) d
           WHERE d.last_attempt_at IS NOT NULL AND (d.status = 'failed' OR d.status = 'pending' AND d.tries > 0)
           ORDER BY d.last_attempt_at DESC LIMIT 1) failure ON true
         LEFT JOIN LATERAL (
          SELECT d.next_attempt_at AS at
            FROM (SELECT tries, next_attempt_at FROM webhook_deliveries WHERE endpoint_id = e.id AND status = 'pending'
                   ORDER BY next_attempt_at LIMIT ${RECENT_DELIVERIES_MAX}) d
           WHERE d.tries > 0 ORDER BY d.next_attempt_at LIMIT 1) retry ON true`,
      [endpointIds],
    );
  }

  /** Throws `WEBHOOK_DELIVERY_NOT_FOUND`, for another account's too. */
  async requireDelivery(id: string, accountId: string, from: Queryable): Promise<Delivery> {
    const [row] = isUuid(id)
      ? await from.query<Delivery>(
          `SELECT ${DELIVERY} FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id
            WHERE d.id = $1 AND e.user_id = $2 AND e.deleted_at IS NULL`,
          [id, accountId],
        )
      : [];
    if (!row) throw new AppError('WEBHOOK_DELIVERY_NOT_FOUND', 'Delivery not found.');
    return row;
  }

  /** Newest attempts, oldest first. */
  async attemptsOf(deliveryId: string, max: number): Promise<RecordedDeliveryAttempt[]> {
    const rows = await this.database.reads.query<RecordedDeliveryAttempt>(
      `SELECT id, at, duration_ms AS "durationMs", status_code AS "statusCode", response, error, signature
         FROM webhook_attempts WHERE delivery_id = $1 ORDER BY id DESC LIMIT $2`,
      [deliveryId, max],
    );
    return rows.reverse();
  }

  /** Not while an attempt is in progress. */
  async resend({ endpointId, id }: Delivery, tx: Tx): Promise<void> {
    await tx.query(`${RESEND} WHERE d.endpoint_id = $1 AND d.id = $2 AND d.claim IS NULL`, [endpointId, id]);
  }

  /**
   * Resends up to `max` failed or retrying deliveries above `after`, failed at or after `since`, tests
   * excepted. `last` is null when none is left.
   */
  async resendFailed(
    endpointId: string,
    since: Date,
    after: string,
    max: number,
  ): Promise<{ count: number; last: string | null }> {
    const [row] = await this.database.query<{ count: number; last: string | null }>(
      `WITH failed AS MATERIALIZED (
         SELECT d.ctid AS place, d.id FROM webhook_deliveries d
          WHERE d.endpoint_id = $1 AND d.id > $3 AND d.claim IS NULL AND NOT d.is_test
            AND (d.status = 'failed' AND d.finished_at >= $2
              OR d.status = 'pending' AND d.tries > 0 AND d.last_attempt_at >= $2)
          ORDER BY d.id LIMIT $4 FOR UPDATE SKIP LOCKED
       ), sent AS (${RESEND} WHERE d.ctid = ANY (ARRAY (SELECT place FROM failed)))
       SELECT (SELECT count(*) FROM failed) AS count, (SELECT id FROM failed ORDER BY id OFFSET $4 - 1) AS last`,
      [endpointId, since, after, max],
    );
    return row ?? { count: 0, last: null };
  }
}
