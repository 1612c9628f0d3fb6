import { Injectable } from '@nestjs/common';
import { DatabaseGauges } from '../observability/database-gauges.js';
import { Metrics } from '../observability/metrics.js';

const JOBS_MAX = 20_000;

@Injectable()
export class JobMetrics {
  private readonly runs;

  constructor(metrics: Metrics, gauges: DatabaseGauges) {
    this.runs = metrics.counter('apw_job_runs_total', 'Runs of jobs, by outcome', []);
    gauges.add(
      'jobs',
      {
        apw_jobs: `Jobs of all processes that are not done, ${JOBS_MAX} at most`,
        apw_jobs_oldest_due_seconds: 'Age of the job that waits longest',
      },
      async (from) => {
        const [found] = await from.query<Record<string, number>>(
          `SELECT count(*) FILTER (WHERE locked_at IS NULL AND NOT is_dead AND run_at <= now()) AS due,
                  count(*) FILTER (WHERE locked_at IS NULL AND NOT is_dead AND run_at > now()) AS delayed,
                  count(*) FILTER (WHERE locked_at IS NOT NULL) AS running,
                  count(*) FILTER (WHERE is_dead) AS failed,
                  coalesce(extract(epoch FROM now() - min(run_at) FILTER (WHERE locked_at IS NULL AND NOT is_dead
                    AND run_at <= now())), 0)::float8 AS age
             FROM (SELECT run_at, locked_at, attempts >= max_attempts AS is_dead
                     FROM graphile_worker.jobs LIMIT ${JOBS_MAX}) j`,
        );
        const { age = 0, ...states } = found ?? {};
        return [
          { gauge: 'apw_jobs_oldest_due_seconds' as const, value: age },
          ...Object.entries(states).map(([state, value]) => ({
            gauge: 'apw_jobs' as const,
            value,
            labels: { state },
          })),
        ];
      },
    );
  }

  async run(job: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.runs.add(1, { job, outcome: 'done' });
    } catch (error) {
      this.runs.add(1, { job, outcome: 'failed' });
      throw error;
    }
  }
}
