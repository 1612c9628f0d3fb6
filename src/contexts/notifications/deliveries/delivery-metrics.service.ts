import { Injectable } from '@nestjs/common';
import { DatabaseGauges } from '../../../platform/observability/database-gauges.js';
import { Metrics } from '../../../platform/observability/metrics.js';
import type { Finished } from './deliveries.domain.js';

const SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];
const DELIVERIES_MAX = 50_000;
const ENDPOINTS_MAX = 50_000;

@Injectable()
export class DeliveryMetrics {
  private readonly attempts;
  private readonly seconds;

  constructor(
    private readonly metrics: Metrics,
    gauges: DatabaseGauges,
  ) {
    this.attempts = metrics.counter(
      'apw_webhook_attempts_total',
      'Attempts to deliver a webhook',
      ['delivered', 'failed'].map((outcome) => ({ outcome })),
    );
    this.seconds = metrics.histogram('apw_webhook_attempt_seconds', 'Duration of an attempt', SECONDS);
    gauges.add(
      'webhooks',
      {
        apw_webhook_deliveries_pending: `Deliveries to be attempted, ${DELIVERIES_MAX} at most`,
        apw_webhook_oldest_due_seconds: 'How long the delivery that is due longest has waited',
        apw_webhook_endpoints: 'Endpoints, by state',
      },
      async (from) => {
        const [found] = await from.query<Record<string, number>>(
          `SELECT * FROM (
             SELECT count(*) AS pending,
                    greatest(0, coalesce(extract(epoch FROM clock_timestamp() - min(next_attempt_at)), 0))::float8 AS age
               FROM (SELECT next_attempt_at FROM webhook_deliveries WHERE status = 'pending'
                      ORDER BY endpoint_id, next_attempt_at LIMIT ${DELIVERIES_MAX}) d) d,
           LATERAL (
             SELECT count(*) FILTER (WHERE status = 'enabled' AND failing_since IS NULL) AS healthy,
                    count(*) FILTER (WHERE status = 'enabled' AND failing_since IS NOT NULL) AS failing,
                    count(*) FILTER (WHERE status = 'disabled') AS disabled
               FROM (SELECT status, failing_since FROM webhook_endpoints WHERE deleted_at IS NULL
                      LIMIT ${ENDPOINTS_MAX}) e) e`,
        );
        const { pending = 0, age = 0, ...states } = found ?? {};
        return [
          { gauge: 'apw_webhook_deliveries_pending' as const, value: pending },
          { gauge: 'apw_webhook_oldest_due_seconds' as const, value: age },
          ...Object.entries(states).map(([state, value]) => ({
            gauge: 'apw_webhook_endpoints' as const,
            value,
            labels: { state },
          })),
        ];
      },
    );
  }

  recorded(batch: readonly Finished[]): void {
    if (!this.metrics.isOn) return;
    let delivered = 0;
    for (const { attempt, verdict } of batch) {
      if (verdict.status === 'succeeded') delivered += 1;
      this.seconds.record(attempt.durationMs / 1_000);
    }
    this.attempts.add(delivered, { outcome: 'delivered' });
    this.attempts.add(batch.length - delivered, { outcome: 'failed' });
  }
}
