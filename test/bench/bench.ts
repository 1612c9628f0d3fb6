import { rmSync, writeFileSync } from 'node:fs';
import * as os from 'node:os';
import { join, resolve } from 'node:path';
import { decimalNumber, readCommandLine, wholeNumber } from '../../scripts/flags.ts';
import { endOnSignals } from '../support/end-on-signals.ts';
import { buildService, ROOT } from '../support/server-process.ts';
import { figuresAgainst } from './checkout.ts';
import type { Result, Scale } from './duel.ts';
import { FIGURES as OF_PAYMENTS, HEADLINE } from './figures.ts';
import { Lab } from './lab.ts';
import { streams } from './streams.ts';

const FIGURES = [...OF_PAYMENTS, streams];

const FULL: Scale = {
  pairs: 9,
  seconds: 3,
  historyRows: 1_000_000,
  memoryPayments: [50_000, 500_000],
  drainSeconds: 60,
};
const SHORT: Scale = {
  pairs: 5,
  seconds: 1.5,
  historyRows: 100_000,
  memoryPayments: [20_000, 60_000],
  drainSeconds: 15,
};

/** The three headline figures in a little over two minutes. */
const HEADLINE_SCALE = { pairs: 5, seconds: 1.3 };

const HELP = `Usage: npm run bench -- [headline | figure …] [--short] [--pairs N] [--seconds N]
                       [--database-url URL] [--profile] [--against FOLDER]

Measures the service (node dist/src/main.js, settling as in production) against the baseline in
test/bench/baseline.ts, in turn, on one PostgreSQL with fsync on, over loopback. A ratio is the median of the
ratios of the pairs. Results go to the screen and to bench-results.json. All figures take about a quarter of an hour,
\`headline\` (${HEADLINE.join(', ')}) a little over two minutes. docs/performance.md says what came out and how to
read it.

  --short       smaller everything: about three minutes, rough numbers
  --pairs N     pairs of runs of each comparison (${FULL.pairs})
  --seconds N   length of one run (${FULL.seconds})
  --database-url URL   a PostgreSQL that runs already, for all sides, instead of the embedded one; its user must be able
                to make databases (they are dropped again)
  --profile     writes CPU profiles of all sides to bench-profiles/, with the hottest functions and, where
                pg_stat_statements is loaded, the statements by time; what is measured meanwhile is slower
  --against FOLDER   another checkout of the service, installed and built, instead of the baseline: what a change costs.
                Its figures (crowd, hot, alone) may each be worse by 3 % at most

Figures (all, unless some are named):
${FIGURES.map(({ name, about }) => `  ${name.padEnd(16)}${about}`).join('\n')}
`;

const { values: flags, positionals } = readCommandLine(
  HELP,
  {
    short: { type: 'boolean' },
    pairs: { type: 'string' },
    seconds: { type: 'string' },
    'database-url': { type: 'string' },
    profile: { type: 'boolean' },
    against: { type: 'string' },
  },
  [...[...FIGURES, ...figuresAgainst('.')].map(({ name }) => name), 'headline'],
);
endOnSignals();
const isHeadline = positionals.includes('headline');
const figures = [...positionals.filter((name) => name !== 'headline'), ...(isHeadline ? HEADLINE : [])];
const scale = { ...(flags.short ? SHORT : FULL), ...(isHeadline && HEADLINE_SCALE) };
await bench(figures, {
  ...scale,
  pairs: wholeNumber('pairs', flags.pairs ?? String(scale.pairs), 1, 1_000),
  seconds: decimalNumber('seconds', flags.seconds ?? String(scale.seconds), 0.1, 3_600),
});

async function bench(names: readonly string[], scale: Scale): Promise<void> {
  const say = (line: string): void => console.log(line);
  buildService();
  const profileFolder = flags.profile ? join(ROOT, 'bench-profiles') : undefined;
  if (profileFolder) rmSync(profileFolder, { recursive: true, force: true });
  const lab = await Lab.open({ databaseUrl: flags['database-url'], profileFolder, report: say });
  const results: Result[] = [];
  const failed: string[] = [];
  try {
    const [postgres] = await lab.postgres.run<{ version: string; fsync: string }>(
      `SELECT current_setting('server_version') AS version, current_setting('fsync') AS fsync`,
    );
    const machine = {
      cores: os.cpus().length,
      cpu: os.cpus()[0]?.model ?? 'unknown',
      memoryGiB: Math.round(os.totalmem() / 2 ** 30),
      load: os.loadavg()[0]?.toFixed(2),
      node: process.version,
      postgres: postgres?.version,
      fsync: postgres?.fsync,
    };
    say(
      Object.entries(machine)
        .map(([name, value]) => `${name} ${value}`)
        .join(', '),
    );
    const compared = flags.against === undefined ? FIGURES : figuresAgainst(resolve(flags.against));
    const chosen = compared.filter(({ name }) => names.length === 0 || names.includes(name));
    for (const [i, figure] of chosen.entries()) {
      say(`\n${figure.name}: ${figure.about}`);
      try {
        results.push(...(await figure.run(lab, scale)));
      } catch (error) {
        // What the other figures took minutes to measure is not lost for one that fails.
        console.error(error);
        failed.push(figure.name);
      }
      if (!(figure.ofRivals && chosen[i + 1]?.ofRivals)) await lab.stopServers();
    }
    writeFileSync(
      join(ROOT, 'bench-results.json'),
      `${JSON.stringify({ at: new Date().toISOString(), machine, scale, results }, null, 2)}\n`,
    );
  } finally {
    await lab.close();
  }
  say(`\n${table(results)}`);
  for (const name of failed) say(`${name} FAILED; its error is above`);
  process.exitCode = failed.length > 0 || results.some(({ reached }) => reached === false) ? 1 : 0;
}

function table(results: readonly Result[]): string {
  const rows = results.map(({ figure, goal, value, unit, reached, detail }) => [
    figure,
    goal,
    unit === '×' ? `${value.toPrecision(3)}×` : `${value} ${unit}`,
    reached === null ? '' : reached ? 'reached' : 'MISSED',
    detail,
  ]);
  const all = [['figure', 'goal', 'measured', 'verdict', 'runs'], ...rows];
  const widths = [0, 1, 2, 3].map((i) => Math.max(...all.map((row) => (row[i] ?? '').length)));
  return all.map((row) => row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ')).join('\n');
}
