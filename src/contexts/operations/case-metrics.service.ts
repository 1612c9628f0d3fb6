import { Injectable } from '@nestjs/common';
import { DatabaseGauges } from '../../platform/observability/database-gauges.js';

const CASES_MAX = 20_000;

@Injectable()
export class CaseMetrics {
  constructor(gauges: DatabaseGauges) {
    gauges.add(
      'cases',
      {
        apw_operator_cases_open: 'Cases for an operator that are open, by kind',
        apw_operator_case_oldest_open_seconds: 'Age of the oldest of them',
      },
      async (from) => {
        const kinds = await from.query<{ kind: string; count: number; ageSeconds: number }>(
          `SELECT kind, count(*), extract(epoch FROM clock_timestamp() - min(opened_at))::float8 AS "ageSeconds"
             FROM (SELECT kind, opened_at FROM operator_cases WHERE closed_at IS NULL LIMIT ${CASES_MAX}) c
            GROUP BY kind`,
        );
        return kinds.flatMap(({ kind, count, ageSeconds }) => [
          { gauge: 'apw_operator_cases_open' as const, value: count, labels: { kind } },
          { gauge: 'apw_operator_case_oldest_open_seconds' as const, value: ageSeconds, labels: { kind } },
        ]);
      },
    );
  }
}
