import { Injectable } from '@nestjs/common';
import { Database, type Queryable, type Tx } from '../../platform/database/database.js';
import { AppError } from '../../kernel/errors.js';
import type { Kobo } from '../../kernel/money.js';
import type { Page, PageRequest } from '../../kernel/page.js';
import { isUuid } from '../../kernel/text.js';
import type {
  Attempt,
  Claimed,
  DeliveryQueue,
  EventName,
  Finished,
  SealedSecret,
  Verdict,
} from './notifications.domain.js';

/** What an owner says of an endpoint. */
export interface EndpointSettings {
  readonly url: string;
  readonly events: readonly EventName[];
  /** Null: all wallets of the user, those made later included. */
  readonly walletIds: readonly string[] | null;
  readonly description: string | null;
}

/** An endpoint as its owner sees it. */
export interface Endpoint extends EndpointSettings {
  readonly id: string;
  readonly status: 'enabled' | 'disabled';
  readonly disabledReason: string | null;
  readonly disabledAt: Date | null;
  readonly createdAt: Date;
}

/** Who listens, and to what. */
export interface Subscription extends Pick<EndpointSettings, 'events' | 'walletIds'> {
  readonly endpointId: string;
  readonly userId: string;
}

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

const ENDPOINT = `e.id, e.url, e.events, e.wallet_ids AS "walletIds", e.description, e.status,
  e.disabled_reason AS "disabledReason", e.disabled_at AS "disabledAt", e.created_at AS "createdAt"`;
const DELIVERY = `d.id, d.endpoint_id AS "endpointId", d.event_id AS "eventId", d.event, d.wallet_id AS "walletId",
  d.is_test AS "isTest", d.body, d.status, d.attempts AS "attemptCount",
  CASE WHEN d.status = 'pending' THEN coalesce(d.claimed_at, d.next_attempt_at) END AS "nextAttemptAt",
  d.last_attempt_at AS "lastAttemptAt", d.finished_at AS "finishedAt", d.why AS "failureReason",
  d.created_at AS "createdAt"`;
/** An endpoint that did nothing but fail for so long is disabled… */
const FAILING_MS_MAX = 5 * 24 * 60 * 60 * 1_000;
/** …unless there was no attempt at all for so long in between. */
const QUIET_MS_MAX = 2 * 24 * 60 * 60 * 1_000;
const NOW = `date_trunc('milliseconds', clock_timestamp())`;

/** Puts deliveries that are not being attempted right now back to the start, to be sent at once. */
const RESEND = `UPDATE webhook_deliveries d SET status = 'pending', tries = 0, finished_at = NULL, why = NULL,
  next_attempt_at = clock_timestamp()`;

@Injectable()
export class NotificationsStore implements DeliveryQueue {
  constructor(private readonly database: Database) {}

  // --- endpoints -------------------------------------------------------------------------------------------

  /** Holds the user's endpoints against others that would be added at the same time; answers how many there are. */
  async countForAdding(userId: string, tx: Tx): Promise<number> {
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('webhook endpoints of ' || $1::text, 0))`, [
      userId,
    ]);
    const [row] = await tx.query<{ count: number }>(
      'SELECT count(*) AS count FROM webhook_endpoints WHERE user_id = $1 AND deleted_at IS NULL',
      [userId],
    );
    return row?.count ?? 0;
  }

  async addEndpoint(
    id: string,
    userId: string,
    settings: EndpointSettings,
    secrets: readonly SealedSecret[],
    tx: Tx,
  ): Promise<Endpoint> {
    const [row] = await tx.query<Endpoint>(
      `INSERT INTO webhook_endpoints AS e (id, user_id, url, events, wallet_ids, description, secrets, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, ${NOW}) RETURNING ${ENDPOINT}`,
      [
        id,
        userId,
        settings.url,
        settings.events,
        settings.walletIds,
        settings.description,
        JSON.stringify(secrets),
      ],
    );
    return row as Endpoint;
  }

  /** One page, newest first. */
  async endpointsOf(userId: string, { page, pageSize }: PageRequest): Promise<Page<Endpoint>> {
    const rows = await this.database.query<Endpoint>(
      `SELECT ${ENDPOINT} FROM webhook_endpoints e WHERE e.user_id = $1 AND e.deleted_at IS NULL
        ORDER BY e.id DESC LIMIT $2 OFFSET $3`,
      [userId, pageSize, (page - 1) * pageSize],
    );
    const [count] = await this.database.query<{ total: number }>(
      'SELECT count(*) AS total FROM webhook_endpoints WHERE user_id = $1 AND deleted_at IS NULL',
      [userId],
    );
    return { rows, total: count?.total ?? 0 };
  }

  /** Throws `WEBHOOK_ENDPOINT_NOT_FOUND`, the same whether there is none or it is somebody else's. */
  async requireEndpoint(id: string, userId: string, from: Queryable, lock = false): Promise<Endpoint> {
    const [row] = isUuid(id)
      ? await from.query<Endpoint>(
          `SELECT ${ENDPOINT} FROM webhook_endpoints e
            WHERE e.id = $1 AND e.user_id = $2 AND e.deleted_at IS NULL ${lock ? 'FOR UPDATE' : ''}`,
          [id, userId],
        )
      : [];
    if (!row) throw new AppError('WEBHOOK_ENDPOINT_NOT_FOUND', 'No webhook endpoint of yours has this id.');
    return row;
  }

  async changeEndpoint(id: string, settings: EndpointSettings, tx: Tx): Promise<void> {
    await tx.query(
      `UPDATE webhook_endpoints SET url = $2, events = $3, wallet_ids = $4, description = $5 WHERE id = $1`,
      [id, settings.url, settings.events, settings.walletIds, settings.description],
    );
  }

  async enable(id: string, tx: Tx): Promise<void> {
    await tx.query(
      `UPDATE webhook_endpoints SET status = 'enabled', disabled_reason = NULL, disabled_at = NULL,
              failing_since = NULL, last_failed_at = NULL
        WHERE id = $1 AND status = 'disabled'`,
      [id],
    );
  }

  /** Disables an enabled endpoint; `url` given: only while it has this URL. Answers whether it did. */
  async disable(id: string, reason: string, url: string | null, to: Queryable): Promise<boolean> {
    const rows = await to.query(
      `UPDATE webhook_endpoints SET status = 'disabled', disabled_reason = $2, disabled_at = ${NOW}
        WHERE id = $1 AND status = 'enabled' AND ($3::text IS NULL OR url = $3) RETURNING id`,
      [id, reason, url],
    );
    return rows.length > 0;
  }

  /** The endpoint is gone for its owner, and its secrets for everyone. */
  async deleteEndpoint(id: string, tx: Tx): Promise<void> {
    await tx.query(
      `UPDATE webhook_endpoints SET deleted_at = clock_timestamp(), secrets = '[]' WHERE id = $1`,
      [id],
    );
  }

  async secretsOf(id: string, tx: Tx): Promise<readonly SealedSecret[]> {
    const [row] = await tx.query<{ secrets: SealedSecret[] }>(
      'SELECT secrets FROM webhook_endpoints WHERE id = $1',
      [id],
    );
    return row?.secrets ?? [];
  }

  async setSecrets(id: string, secrets: readonly SealedSecret[], tx: Tx): Promise<void> {
    await tx.query('UPDATE webhook_endpoints SET secrets = $2 WHERE id = $1', [id, JSON.stringify(secrets)]);
  }

  // --- what happens ----------------------------------------------------------------------------------------

  /** Everything that these users listen to: one look at an index, whoever they are. */
  subscriptionsOf(userIds: readonly string[], tx: Tx): Promise<Subscription[]> {
    return tx.query<Subscription>(
      `SELECT id AS "endpointId", user_id AS "userId", events, wallet_ids AS "walletIds"
         FROM webhook_endpoints
        WHERE user_id = ANY ($1::uuid[]) AND deleted_at IS NULL AND status = 'enabled'`,
      [userIds],
    );
  }

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

  async setThreshold(walletId: string, threshold: Kobo | null, to: Queryable): Promise<void> {
    if (threshold === null) {
      await to.query('DELETE FROM low_balance_thresholds WHERE wallet_id = $1', [walletId]);
      return;
    }
    await to.query(
      `INSERT INTO low_balance_thresholds (wallet_id, threshold) VALUES ($1, $2)
       ON CONFLICT (wallet_id) DO UPDATE SET threshold = excluded.threshold`,
      [walletId, threshold],
    );
  }

  async thresholdsOf(walletIds: readonly string[], from: Queryable): Promise<Map<string, Kobo>> {
    const rows = await from.query<{ walletId: string; threshold: Kobo }>(
      `SELECT wallet_id AS "walletId", threshold FROM low_balance_thresholds WHERE wallet_id = ANY ($1::uuid[])`,
      [walletIds],
    );
    return new Map(rows.map(({ walletId, threshold }) => [walletId, threshold]));
  }

  // --- deliveries, for their owner -------------------------------------------------------------------------

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

  // --- deliveries, for the dispatcher ----------------------------------------------------------------------

  /** The endpoints with something due: one step in an index for each endpoint, however long its queue is. */
  async due(): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      `WITH RECURSIVE first AS (
         (SELECT endpoint_id AS id, next_attempt_at AS at FROM webhook_deliveries WHERE status = 'pending'
           ORDER BY endpoint_id, next_attempt_at LIMIT 1)
         UNION ALL
         SELECT next.* FROM first CROSS JOIN LATERAL (
           SELECT d.endpoint_id, d.next_attempt_at FROM webhook_deliveries d
            WHERE d.status = 'pending' AND d.endpoint_id > first.id
            ORDER BY d.endpoint_id, d.next_attempt_at LIMIT 1) next
       )
       SELECT id FROM first WHERE at <= now()`,
    );
    return rows.map(({ id }) => id);
  }

  /**
   * Claims up to `availableSlots` due deliveries of each endpoint, the longest due first, for `leaseMs`: no other replica takes
   * them. A delivery whose earlier claim ran out was being sent by a process that died: that goes on record.
   */
  claim(
    wanted: readonly { readonly endpointId: string; readonly availableSlots: number }[],
    claim: string,
    leaseMs: number,
  ): Promise<Claimed[]> {
    return this.database.query<Claimed>(
      `WITH due AS MATERIALIZED (
         SELECT d.id, d.claim, d.claimed_at
           FROM unnest($1::uuid[], $2::integer[]) AS want (endpoint_id, available_slots)
          CROSS JOIN LATERAL (
            SELECT id, claim, claimed_at FROM webhook_deliveries
             WHERE endpoint_id = want.endpoint_id AND status = 'pending' AND next_attempt_at <= now()
             ORDER BY next_attempt_at LIMIT want.available_slots FOR UPDATE SKIP LOCKED) d
       ), lost AS (
         INSERT INTO webhook_attempts (delivery_id, id, at, error)
         SELECT id, claim, claimed_at, 'the service stopped in the middle; whether this arrived is not known'
           FROM due WHERE claim IS NOT NULL ON CONFLICT DO NOTHING
       )
       UPDATE webhook_deliveries d
          SET claim = $3, claimed_at = clock_timestamp(), attempts = d.attempts + (due.claim IS NOT NULL)::integer,
              next_attempt_at = clock_timestamp() + $4 * interval '1 millisecond'
         FROM due, webhook_endpoints e WHERE d.id = due.id AND e.id = d.endpoint_id
       RETURNING d.id, d.endpoint_id AS "endpointId", d.event_id AS "eventId", d.body, d.tries, e.url, e.secrets,
         e.status = 'enabled' AND e.deleted_at IS NULL AS "isEnabled"`,
      [
        wanted.map(({ endpointId }) => endpointId),
        wanted.map(({ availableSlots }) => availableSlots),
        claim,
        leaseMs,
      ],
    );
  }

  /** Gives up what is still to be sent to an endpoint that takes nothing more, but for what others are sending now. */
  async cancelPendingIn(endpointId: string, why: string, claim: string | null, to: Queryable): Promise<void> {
    await to.query(
      `UPDATE webhook_deliveries SET status = 'failed', finished_at = ${NOW}, why = $2, claim = NULL, claimed_at = NULL
        WHERE endpoint_id = $1 AND status = 'pending' AND (claim IS NULL OR claim = $3)`,
      [endpointId, why, claim],
    );
  }

  cancelPending(endpointId: string, why: string, claim: string): Promise<void> {
    return this.cancelPendingIn(endpointId, why, claim, this.database);
  }

  disableEndpoint(endpointId: string, reason: string, url: string | null): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      if (!(await this.disable(endpointId, reason, url, tx))) return false;
      await this.cancelPendingIn(endpointId, `the endpoint is disabled: ${reason}`, null, tx);
      return true;
    });
  }

  record(finished: readonly Finished[]): Promise<string[]> {
    return this.database.transaction(async (tx) => {
      await this.finish(finished, tx);
      return this.noteHealth(finished, tx);
    });
  }

  /**
   * Puts attempts on record and moves their deliveries on. Of a claim that has passed to somebody else the attempt
   * alone is recorded, in place of the note that it was lost.
   */
  private async finish(finished: readonly Finished[], tx: Tx): Promise<void> {
    const column = <T>(read: (each: Finished) => T) => finished.map(read);
    await tx.query(
      `WITH f AS MATERIALIZED (
         SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::integer[], $5::integer[], $6::text[],
             $7::text[], $8::text[], $9::float8[], $10::text[], $11::integer[])
           AS f (delivery_id, claim, at, duration_ms, status_code, response, error, status, wait, why, tries)
       ), attempted AS (
         INSERT INTO webhook_attempts (delivery_id, id, at, duration_ms, status_code, response, error)
         SELECT delivery_id, claim, at, duration_ms, status_code, response, error FROM f
         ON CONFLICT (delivery_id, id) DO UPDATE SET at = excluded.at, duration_ms = excluded.duration_ms,
           status_code = excluded.status_code, response = excluded.response, error = excluded.error
       )
       UPDATE webhook_deliveries d
          SET status = f.status, tries = d.tries + f.tries, attempts = d.attempts + 1, claim = NULL, claimed_at = NULL,
              last_attempt_at = f.at, why = f.why,
              next_attempt_at = clock_timestamp() + f.wait * interval '1 second',
              finished_at = CASE WHEN f.status <> 'pending' THEN ${NOW} END
         FROM f WHERE d.id = f.delivery_id AND d.claim = f.claim`,
      [
        column(({ deliveryId }) => deliveryId),
        column(({ claim }) => claim),
        column(({ attempt }) => attempt.at),
        column(({ attempt }) => attempt.durationMs),
        column(({ attempt }) => attempt.statusCode),
        column(({ attempt }) => attempt.response),
        column(({ attempt }) => attempt.error),
        column(({ verdict }) => verdict.status),
        column(({ verdict }) => ('waitSeconds' in verdict ? verdict.waitSeconds : 0)),
        column(({ verdict, attempt }) => whyOf(verdict, attempt)),
        column(({ attempt }) => (attempt.interrupted ? 0 : 1)),
      ],
    );
  }

  /** Notes which endpoints just succeeded or failed; answers those that did nothing but fail for too long. */
  private async noteHealth(finished: readonly Finished[], tx: Tx): Promise<string[]> {
    const succeeded = new Map<string, boolean>();
    for (const { endpointId, attempt, verdict } of finished) {
      if (attempt.interrupted) continue;
      succeeded.set(endpointId, verdict.status === 'succeeded' || (succeeded.get(endpointId) ?? false));
    }
    if (succeeded.size === 0) return [];
    // Always in the same order, so that replicas do not wait for each other in a ring.
    const ids = [...succeeded.keys()].sort();
    const rows = await tx.query<{ id: string; isOverdue: boolean | null }>(
      `UPDATE webhook_endpoints e
          SET failing_since = CASE WHEN h.succeeded THEN NULL
                WHEN e.failing_since IS NULL OR e.last_failed_at < now() - $4 * interval '1 millisecond' THEN now()
                ELSE e.failing_since END,
              last_failed_at = CASE WHEN h.succeeded THEN NULL ELSE now() END
         FROM unnest($1::uuid[], $2::boolean[]) AS h (id, succeeded)
        WHERE e.id = h.id AND (NOT h.succeeded OR e.failing_since IS NOT NULL)
       RETURNING e.id, e.failing_since <= now() - $3 * interval '1 millisecond' AS "isOverdue"`,
      [ids, ids.map((id) => succeeded.get(id)), FAILING_MS_MAX, QUIET_MS_MAX],
    );
    return rows.filter(({ isOverdue }) => isOverdue).map(({ id }) => id);
  }

  /** Forgets finished deliveries whose ids (UUID version 7, so in order of time) are below `id`; answers how many. */
  async forgetBefore(id: string, max: number): Promise<number> {
    const rows = await this.database.query(
      `DELETE FROM webhook_deliveries WHERE id IN (
         SELECT id FROM webhook_deliveries WHERE id < $1 AND status <> 'pending' ORDER BY id LIMIT $2) RETURNING 1`,
      [id, max],
    );
    return rows.length;
  }
}

function whyOf(verdict: Verdict, { error, statusCode }: Attempt): string | null {
  if (verdict.status === 'succeeded') return null;
  return error ?? `answered ${statusCode ?? 'nothing'}`;
}
