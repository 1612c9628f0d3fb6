import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchPostgres } from './postgres.ts';

const SHOWN = 25;

interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** The functions in which the processes that wrote their profiles into `folder` spent most time themselves. */
export function hottestFunctions(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.cpuprofile'))
    .flatMap((name) => {
      const { nodes, samples, timeDeltas } = JSON.parse(
        readFileSync(join(folder, name), 'utf8'),
      ) as CpuProfile;
      const nameOf = new Map(
        nodes.map(({ id, callFrame: { functionName, url, lineNumber } }) => [
          id,
          `${functionName || '(anonymous)'} ${url.replace(/^.*\/(node_modules|dist|test)\//, '$1/')}:${lineNumber + 1}`,
        ]),
      );
      const total = new Map<string, number>();
      let busy = 0;
      for (const [i, id] of samples.entries()) {
        const function_ = nameOf.get(id) ?? '';
        const micros = timeDeltas[i] ?? 0;
        if (function_.startsWith('(idle)')) continue;
        busy += micros;
        total.set(function_, (total.get(function_) ?? 0) + micros);
      }
      const hottest = [...total].sort(([, a], [, b]) => b - a).slice(0, SHOWN);
      return [
        `${name}: ${(busy / 1e6).toFixed(1)} s busy`,
        ...hottest.map(([each, micros]) => `  ${((micros / busy) * 100).toFixed(1).padStart(5)} %  ${each}`),
      ];
    });
}

/** The statements of one database by the time they took; empty where `pg_stat_statements` is not loaded. */
export async function statementsByTime(postgres: BenchPostgres, database: string): Promise<string[]> {
  try {
    await postgres.run('CREATE EXTENSION IF NOT EXISTS pg_stat_statements', database);
    const rows = await postgres.run<{ ms: number; calls: number; rows: number; each: number; query: string }>(
      `SELECT round(total_exec_time::numeric, 1)::float8 AS ms, calls::float8, rows::float8,
              round(mean_exec_time::numeric, 4)::float8 AS each, left(regexp_replace(query, '\\s+', ' ', 'g'), 110) AS query
         FROM pg_stat_statements
        WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
        ORDER BY total_exec_time DESC LIMIT ${SHOWN}`,
      database,
    );
    return rows.map(
      ({ ms, calls, rows: count, each, query }) =>
        `${ms.toFixed(0).padStart(8)} ms ${String(calls).padStart(8)} calls ${String(count).padStart(8)} rows ${each.toFixed(3).padStart(8)} ms each  ${query}`,
    );
  } catch (error) {
    return [`no statements: ${String(error)}`];
  }
}

/** Writes a text beside the profiles, and answers its lines for the screen. */
export function writeReport(folder: string, name: string, lines: readonly string[]): void {
  writeFileSync(join(folder, name), `${lines.join('\n')}\n`);
}
