import { Injectable } from '@nestjs/common';
import { AppError } from '../../../kernel/errors.js';
import type { Page, PageRequest } from '../../../kernel/page.js';
import { isUuid } from '../../../kernel/text.js';
import { Database, type Queryable, type Tx } from '../../../platform/database/database.js';
import type { EventName } from '../notifications.domain.js';
import type { Attempt, Verdict } from './deliveries.domain.js';

/** A delivery to be made. */
export interface NewDelivery {
  readonly id: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly event: EventName;
  readonly walletId: string | null;
  readonly body: string;
  readonly isTest: boolean;
}

export type DeliveryStatus = Verdict['status'];

/** A delivery as the endpoint's owner sees it. */
export interface Delivery extends NewDelivery {
  readonly status: DeliveryStatus;
  readonly attemptCount: number;
  /** Null when none is planned. */
  readonly nextAttemptAt: Date | null;
  readonly lastAttemptAt: Date | null;
  readonly finishedAt: Date | null;
  /** Why the last attempt failed, or why there will be none. */
  readonly failureReason: string | null;
  readonly createdAt: Date;
}

/** One attempt as the endpoint's owner sees it; `durationMs` is null when its end was not seen. */
export type RecordedAttempt = Pick<Attempt, 'at' | 'statusCode' | 'response' | 'error'> & {
  readonly id: string;
  readonly durationMs: number | null;
};

const DELIVERY = `d.id, d.endpoint_id AS "endpointId", d.event_id AS "eventId", d.event, d.wallet_id AS "walletId",
  d.is_test AS "isTest", d.body, d.status, d.attempts AS "attemptCount",
  CASE WHEN d.status = 'pending' THEN coalesce(d.claimed_at, d.next_attempt_at) END AS "nextAttemptAt",
  d.last_attempt_at AS "lastAttemptAt", d.finished_at AS "finishedAt", d.failure_reason AS "failureReason",
  d.created_at AS "createdAt"`;
const NOW = `date_trunc('milliseconds', clock_timestamp())`;

/** Puts deliveries that are not being attempted right now back to the start, to be sent at once. */
const RESEND = `UPDATE webhook_deliveries d SET status = 'pending', tries = 0, finished_at = NULL, failure_reason = NULL,
  next_attempt_at = clock_timestamp()`;

@Injectable()
export class DeliveryStore {
  constructor(private readonly database: Database) {}

  async add(deliveries: readonly NewDelivery[], to: Queryable): Promise<void> {
    const column = <K extends keyof NewDelivery>(name: K) => deliveries.map((each) => each[name]);
    await to.query(
      `INSERT INTO webhook_deliveries (id, endpoint_id, event_id, event, wallet_id, is_test, body, next_attempt_at,
         created_at)
       SELECT d.*, clock_timestamp(), ${NOW}
         FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::uuid[], $6::boolean[], $7::text[]) d`,
      [
        column('id'),
        column('endpointId'),
        column('eventId'),
        column('event'),
        column('walletId'),
        column('isTest'),
        column('body'),
      ],
    );
  }

  /** How many tests went to this endpoint in the last minute, and to all that the user ever had in the last hour. */
  async countTests(
    endpointId: string,
    userId: string,
    tx: Tx,
  ): Promise<{ readonly toEndpoint: number; readonly byUser: number }> {
    const [row] = await tx.query<{ toEndpoint: number; byUser: number }>(
      `SELECT count(*) FILTER (WHERE d.endpoint_id = $1 AND d.created_at > now() - interval '1 minute') AS "toEndpoint",
              count(*) AS "byUser"
         FROM webhook_endpoints e JOIN webhook_deliveries d
           ON d.endpoint_id = e.id AND d.is_test AND d.created_at > now() - interval '1 hour'
        WHERE e.user_id = $2`,
      [endpointId, userId],
    );
    return row ?? { toEndpoint: 0, byUser: 0 };
  }

  /** One page of an endpoint's deliveries, newest first. */
  async deliveriesOf(
    endpointId: string,
    filter: { readonly status: DeliveryStatus | null; readonly event: EventName | null },
    { page, pageSize }: PageRequest,
  ): Promise<Page<Delivery>> {
    const which = `d.endpoint_id = $1 AND ($2::text IS NULL OR d.status = $2) AND ($3::text IS NULL OR d.event = $3)`;
    const values = [endpointId, filter.status, filter.event];
    const rows = await this.database.query<Delivery>(
      `SELECT ${DELIVERY} FROM webhook_deliveries d WHERE ${which} ORDER BY d.id DESC LIMIT $4 OFFSET $5`,
      [...values, pageSize, (page - 1) * pageSize],
    );
    const [count] = await this.database.query<{ total: number }>(
      `SELECT count(*) AS total FROM webhook_deliveries d WHERE ${which}`,
      values,
    );
    return { rows, total: count?.total ?? 0 };
  }

  /** Throws `WEBHOOK_DELIVERY_NOT_FOUND`, the same whether there is none or it is somebody else's. */
  async requireDelivery(id: string, userId: string, from: Queryable): Promise<Delivery> {
    const [row] = isUuid(id)
      ? await from.query<Delivery>(
          `SELECT ${DELIVERY} FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id
            WHERE d.id = $1 AND e.user_id = $2 AND e.deleted_at IS NULL`,
          [id, userId],
        )
      : [];
    if (!row) throw new AppError('WEBHOOK_DELIVERY_NOT_FOUND', 'No delivery of yours has this id.');
    return row;
  }

  /** The newest attempts of a delivery, in the order in which they were made. */
  async attemptsOf(deliveryId: string, max: number): Promise<RecordedAttempt[]> {
    const rows = await this.database.query<RecordedAttempt>(
      `SELECT id, at, duration_ms AS "durationMs", status_code AS "statusCode", response, error
         FROM webhook_attempts WHERE delivery_id = $1 ORDER BY id DESC LIMIT $2`,
      [deliveryId, max],
    );
    return rows.reverse();
  }

  /** Sends a delivery again, whatever became of it; one that is on its way this moment is left to it. */
  async resend(deliveryId: string, tx: Tx): Promise<void> {
    await tx.query(`${RESEND} WHERE d.id = $1 AND d.claim IS NULL`, [deliveryId]);
  }

  /** Sends again what failed at or after `since`: given up, or waiting for another try. Answers how many. */
  async resendFailed(endpointId: string, since: Date, tx: Tx): Promise<number> {
    const rows = await tx.query(
      `${RESEND} WHERE d.endpoint_id = $1 AND d.claim IS NULL
         AND (d.status = 'failed' AND d.finished_at >= $2
           OR d.status = 'pending' AND d.tries > 0 AND d.last_attempt_at >= $2)
       RETURNING 1`,
      [endpointId, since],
    );
    return rows.length;
  }
}
