import { Injectable } from '@nestjs/common';
import { DatabaseGauges } from '../../platform/observability/database-gauges.js';
import { Metrics } from '../../platform/observability/metrics.js';
import type { RecordedResults, Verdict } from './settlement-results.store.js';
import { SettlementStore } from './settlement.store.js';

const SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

@Injectable()
export class SettlementMetrics {
  private readonly ended;
  private readonly bankSeconds;

  constructor(
    private readonly metrics: Metrics,
    gauges: DatabaseGauges,
    store: SettlementStore,
  ) {
    this.ended = metrics.counter(
      'apw_settlements_ended_total',
      'Settlements whose end this process recorded, by state',
      ['succeeded', 'failed', 'reversed'].map((state) => ({ state })),
    );
    this.bankSeconds = metrics.histogram(
      'apw_bank_payout_batch_seconds',
      'Until the bank answered a batch of payouts, new or polled',
      SECONDS,
    );
    gauges.add(
      'settlements',
      {
        apw_settlements_open: 'Settlements without an end, by state',
        apw_settlement_oldest_open_seconds: 'Age of the oldest of them, by state',
      },
      async (from) =>
        (await store.openByStatus(from)).flatMap(({ status, count, ageSeconds }) => [
          { gauge: 'apw_settlements_open' as const, value: count, labels: { state: status } },
          {
            gauge: 'apw_settlement_oldest_open_seconds' as const,
            value: ageSeconds,
            labels: { state: status },
          },
        ]),
    );
  }

  watchCircuit(openMs: () => number): void {
    this.metrics.gauge('apw_bank_circuit_open', 'Whether calls to the bank are paused', () =>
      Number(openMs() > 0),
    );
  }

  /** `startedAt`: by the monotonic clock. */
  bankAnswered(startedAt: number): void {
    this.bankSeconds.record((performance.now() - startedAt) / 1_000);
  }

  /** Call after the commit. */
  count(verdicts: readonly Verdict[], { unchanged, takenBack }: RecordedResults): void {
    if (!this.metrics.isOn) return;
    const states = new Map<string, number>();
    for (const { settlement, outcome } of verdicts) {
      if (unchanged.has(settlement.reference)) continue;
      const state = takenBack.has(settlement.reference) ? 'reversed' : outcome.status;
      states.set(state, (states.get(state) ?? 0) + 1);
    }
    for (const [state, count] of states) this.ended.add(count, { state });
  }
}
