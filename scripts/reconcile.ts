import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { readConfig } from '../src/platform/config.js';
import {
  runningEmbeddedPostgres,
  startEmbeddedPostgres,
} from '../src/platform/database/embedded-postgres.js';
import { FundingReconciliation } from '../src/contexts/funding/funding.reconcile.js';
import { pinoLogger } from '../src/platform/observability/logger.js';
import { createCommandContext } from '../src/bootstrap.js';
import { SettlementReconciliation } from '../src/contexts/settlement/settlement.reconcile.js';
import { isClean, rangeOf, type Report, reportAsTable } from './reconciliation-report.js';

const HELP = `Compares the books of the bank with ours, credits what a lost webhook left behind, and opens cases for
what a person must look at. Running it twice does nothing twice.

  npm run reconcile -- --from 2026-11-01 --to 2026-11-21 [--json]

  --from <day>   the first day
  --to <day>     the last day; days begin and end in Nigeria (UTC+1)
  --json         prints one JSON object instead of a table
  --help

The settings are those of the service (BANK_PROVIDER, DATABASE_URL, DATA_DIR, ...). Without DATABASE_URL it is the
embedded PostgreSQL under DATA_DIR: that of the running service, or started for this run when none is running.

Exit code: 0 the books agree, 2 there is something to look at, 1 it could not be done.
`;

const SAY_MS = 2_000;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      from: { type: 'string' },
      to: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const range = rangeOf(values.from, values.to);
  const config = readConfig(process.env);
  const running = config.DATABASE_URL ?? runningEmbeddedPostgres(config.DATA_DIR);
  const embedded = running ? undefined : await startEmbeddedPostgres(config.DATA_DIR, say);
  const app = await createCommandContext({
    config,
    databaseUrl: running ?? embedded?.url ?? '',
    logger: pinoLogger('error'),
  });
  try {
    const collections = await app.get(FundingReconciliation).run(range, { report: progress('accounts') });
    const payouts = await app.get(SettlementReconciliation).run(range, { report: progress('payouts') });
    const report: Report = {
      bank: config.BANK_PROVIDER,
      from: values.from ?? '',
      to: values.to ?? '',
      collections: collections.tally,
      payouts: payouts.tally,
    };
    process.stdout.write(values.json ? `${reportAsJson(report)}\n` : reportAsTable(report));
    return isClean(report) ? 0 : 2;
  } finally {
    await app.close();
    await embedded?.stop();
  }
}

function reportAsJson(report: Report): string {
  const plain = (_: string, value: unknown): unknown => {
    if (typeof value !== 'bigint') return value;
    return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  };
  return JSON.stringify({ ...report, clean: isClean(report) }, plain);
}

/** One line every {@link SAY_MS} at most, on the error stream: the report alone is on the other. */
function progress(of: string): (done: number, inAll: number) => void {
  let next = performance.now() + SAY_MS;
  return (done, inAll) => {
    if (performance.now() < next) return;
    next = performance.now() + SAY_MS;
    say(`${done.toLocaleString('en')} of ${inAll.toLocaleString('en')} ${of}…`);
  };
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    say(`The reconciliation did not end. ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  },
);
