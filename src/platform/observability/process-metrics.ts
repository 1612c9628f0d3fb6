import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { Metrics } from './metrics.js';

/** Milliseconds between samples of the event loop. */
const SAMPLE_MS = 20;

/** Figures of the process itself: CPU, memory, event loop, database connections. */
@Injectable()
export class ProcessMetrics {
  constructor(metrics: Metrics, database: Database) {
    if (!metrics.isOn) return;
    const delay = monitorEventLoopDelay({ resolution: SAMPLE_MS });
    delay.enable();
    metrics.gauge('apw_event_loop_delay_seconds', 'Delay of the event loop since the last scrape', () => {
      const quantiles = [0.5, 0.99, 1].map((quantile) => ({
        // Includes the sampling interval.
        value: Math.max(0, delay.percentile(100 * quantile) / 1e9 - SAMPLE_MS / 1e3),
        labels: { quantile: String(quantile) },
      }));
      delay.reset();
      return quantiles;
    });
    metrics.total('apw_process_cpu_seconds_total', 'CPU time used', () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    });
    metrics.gauge('apw_process_resident_memory_bytes', 'Resident memory', () => process.memoryUsage.rss());
    metrics.gauge('apw_process_start_time_seconds', 'Start, in seconds since 1970', () =>
      Math.round(performance.timeOrigin / 1e3),
    );
    const { pool } = database;
    metrics.gauge('apw_database_connections', 'Open database connections', () => [
      { value: pool.totalCount - pool.idleCount, labels: { state: 'used' } },
      { value: pool.idleCount, labels: { state: 'idle' } },
    ]);
    metrics.gauge('apw_database_connections_max', 'DATABASE_POOL_MAX', () => pool.options.max);
    metrics.gauge(
      'apw_database_connections_waiting',
      'Requests for a database connection that wait',
      () => pool.waitingCount,
    );
    const { replica } = database;
    if (!replica) return;
    metrics.gauge('apw_replica_used', '1 while downloads read the replica', () => Number(replica.isUsed));
    metrics.gauge('apw_replica_lag_seconds', 'Largest lag of the replica; NaN if unknown', () =>
      Number.isFinite(replica.lagMs) ? replica.lagMs / 1e3 : NaN,
    );
  }
}
