import { Injectable } from '@nestjs/common';
import { BLOCK_REASONS } from '../../../kernel/errors.js';
import type { BatchRun } from '../../../platform/batching/group-commit.js';
import { Metrics } from '../../../platform/observability/metrics.js';
import type { DecidedAttempt } from '../spending-wallet.domain.js';

const SIZES = [1, 2, 5, 10, 20, 50, 100, 200, 500];
const SECONDS = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 15];

/** Adds once a batch. */
@Injectable()
export class PaymentMetrics {
  private readonly decisions;
  private readonly sizes;
  private readonly seconds;
  private readonly lockWaits;

  constructor(private readonly metrics: Metrics) {
    this.decisions = metrics.counter(
      'apw_payment_decisions_total',
      'Stored decisions: approved, pending, or why blocked',
      ['approved', 'pending', ...BLOCK_REASONS].map((code) => ({ code })),
    );
    this.sizes = metrics.histogram('apw_payment_batch_size', 'Payments decided in one transaction', SIZES);
    this.seconds = metrics.histogram(
      'apw_payment_batch_seconds',
      'Duration of such a transaction; with lock_wait, of one that waited for a wallet locked elsewhere',
      SECONDS,
    );
    this.lockWaits = metrics.counter(
      'apw_payment_lock_waits_total',
      'Payments that waited for a wallet locked elsewhere',
    );
  }

  /** `waiting`: payments without an answer. */
  watchQueue(waiting: () => number): void {
    this.metrics.gauge('apw_payment_queue_depth', 'Payments without an answer yet', waiting);
  }

  watched<Item, Result>(run: BatchRun<Item, Result>): BatchRun<Item, Result> {
    if (!this.metrics.isOn) return run;
    return async (items, wait, decided) => {
      const startedAt = performance.now();
      try {
        return await run(items, wait, decided);
      } finally {
        this.sizes.record(items.length);
        this.seconds.record((performance.now() - startedAt) / 1_000, { lock_wait: wait });
        if (wait) this.lockWaits.add(items.length);
      }
    };
  }

  /** Call after the commit. */
  count(decided: readonly DecidedAttempt[]): void {
    if (!this.metrics.isOn) return;
    const codes = new Map<string, number>();
    for (const { approval, blockReason } of decided) {
      const code = blockReason ?? approval ?? 'approved';
      codes.set(code, (codes.get(code) ?? 0) + 1);
    }
    for (const [code, count] of codes) this.decisions.add(count, { code });
  }
}
