import 'reflect-metadata';
import { readConfig } from '../src/platform/config.js';
import { pinoLogger } from '../src/platform/observability/logger.js';
import { runCommand, withDatabase } from './database.js';
import { readFlags } from './flags.js';
import { isClean, rangeOf, type Report, reportAsTable } from './reconciliation-report.js';
import { RECONCILE } from './usage.js';

const SAY_MS = 2_000;

async function main(): Promise<number> {
  const values = readFlags(RECONCILE.help, RECONCILE.options, undefined, RECONCILE.wrong);
  let range;
  try {
    range = rangeOf(values.from, values.to);
  } catch (error) {
    say(`${(error as Error).message}: npm run reconcile -- --from 2026-11-01 --to 2026-11-21; see --help`);
    return 1;
  }
  const config = readConfig(process.env);
  return withDatabase(config, say, async ({ ownerUrl, serviceUrl }) => {
    // Loaded once nothing stands in the way: it is most of the code, and of the time until a refusal.
    const { createCommandContext } = await import('../src/bootstrap.js');
    const { FundingReconciliation } = await import('../src/contexts/funding/funding.reconcile.js');
    const { HoldsReconciliation } = await import('../src/contexts/payments/approvals/holds.reconcile.js');
    const { SettlementReconciliation } = await import('../src/contexts/settlement/settlement.reconcile.js');
    const app = await createCommandContext({
      config,
      databaseUrl: serviceUrl,
      ownerUrl,
      logger: pinoLogger('error'),
    });
    try {
      // First: it needs no bank.
      const holds = await app.get(HoldsReconciliation).run({ report: progress('wallets') });
      const collections = await app.get(FundingReconciliation).run(range, { report: progress('accounts') });
      const payouts = await app.get(SettlementReconciliation).run(range, { report: progress('payouts') });
      const report: Report = {
        bank: config.BANK_PROVIDER,
        from: values.from ?? '',
        to: values.to ?? '',
        collections: collections.tally,
        payouts: payouts.tally,
        holds: holds.tally,
      };
      process.stdout.write(values.json ? `${reportAsJson(report)}\n` : reportAsTable(report));
      return isClean(report) ? 0 : 2;
    } finally {
      await app.close();
    }
  });
}

function reportAsJson(report: Report): string {
  const plain = (_: string, value: unknown): unknown => {
    if (typeof value !== 'bigint') return value;
    return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  };
  return JSON.stringify({ ...report, clean: isClean(report) }, plain);
}

/** One line every {@link SAY_MS} at most, on the error stream: the report alone is on the other. */
function progress(of: string): (done: number, total: number) => void {
  let next = performance.now() + SAY_MS;
  return (done, total) => {
    if (performance.now() < next) return;
    next = performance.now() + SAY_MS;
    say(`${done.toLocaleString('en')} of ${total.toLocaleString('en')} ${of}…`);
  };
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

runCommand(main, 'The reconciliation did not end. ');
