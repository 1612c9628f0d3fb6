import type { Tx } from '../../../platform/database/tx.js';
import type { Events } from '../../../platform/events/events.js';
import { EndpointFailing, EndpointRecovered } from '../notifications.events.js';
import type { Finished } from './deliveries.domain.js';

/** Disables an endpoint that only failed for so long… */
const FAILING_MS_MAX = 5 * 24 * 60 * 60 * 1_000;
/** …unless there was no attempt for so long in between. */
const QUIET_MS_MAX = 2 * 24 * 60 * 60 * 1_000;
/** Publishes that it fails after so long. */
const FAILING_TOLD_MS = 15 * 60 * 1_000;

interface Health {
  readonly id: string;
  readonly accountId: string;
  readonly url: string;
  readonly isOverdue: boolean | null;
  readonly since: Date | null;
  readonly news: 'failing' | 'recovered' | null;
}

/** Returns those that failed for too long. */
export async function recordHealth(finished: readonly Finished[], events: Events, tx: Tx): Promise<string[]> {
  const succeeded = new Map<string, boolean>();
  for (const { endpointId, attempt, verdict } of finished) {
    if (attempt.interrupted) continue;
    succeeded.set(endpointId, verdict.status === 'succeeded' || (succeeded.get(endpointId) ?? false));
  }
  if (succeeded.size === 0) return [];
  const ids = [...succeeded.keys()];
  // Locked first, and in order: replicas neither deadlock nor read stale rows.
  const rows = await tx.query<Health>(
    `WITH o AS MATERIALIZED (
       SELECT w.id, w.failing_since, w.last_failed_at, h.succeeded
         FROM webhook_endpoints w JOIN unnest($1::uuid[], $2::boolean[]) AS h (id, succeeded) ON w.id = h.id
        WHERE NOT h.succeeded OR w.failing_since IS NOT NULL
        ORDER BY w.id FOR NO KEY UPDATE OF w
     )
     UPDATE webhook_endpoints e
          SET failing_since = CASE WHEN o.succeeded THEN NULL
                WHEN o.failing_since IS NULL OR o.last_failed_at < now() - $4 * interval '1 millisecond' THEN now()
                ELSE o.failing_since END,
              last_failed_at = CASE WHEN o.succeeded THEN NULL ELSE greatest(o.last_failed_at, now()) END
         FROM o WHERE e.id = o.id
       RETURNING e.id, e.user_id AS "accountId", e.url, e.failing_since <= now() - $3 * interval '1 millisecond' AS "isOverdue",
                 o.failing_since AS since,
                 CASE WHEN o.succeeded AND o.last_failed_at >= o.failing_since + $5 * interval '1 millisecond' THEN 'recovered'
                      WHEN o.last_failed_at < o.failing_since + $5 * interval '1 millisecond'
                        AND e.failing_since <= now() - $5 * interval '1 millisecond' THEN 'failing' END AS news`,
    [ids, ids.map((id) => succeeded.get(id)), FAILING_MS_MAX, QUIET_MS_MAX, FAILING_TOLD_MS],
  );
  await publishHealth(rows, events, tx);
  return rows.filter(({ isOverdue }) => isOverdue).map(({ id }) => id);
}

async function publishHealth(rows: readonly Health[], events: Events, tx: Tx): Promise<void> {
  const of = ({ id, accountId, url, since }: Health) => ({
    endpointId: id,
    accountId,
    url,
    since: since?.toISOString() ?? '',
  });
  const failing = rows.filter(({ news }) => news === 'failing');
  await events.publish(
    failing.map((row) => new EndpointFailing(of(row))),
    tx,
  );
  const recovered = rows.filter(({ news }) => news === 'recovered');
  await events.publish(
    recovered.map((row) => {
      const { endpointId, accountId, since } = of(row);
      return new EndpointRecovered({ endpointId, accountId, since });
    }),
    tx,
  );
}
