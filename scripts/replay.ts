import 'reflect-metadata';
import { readConfig } from '../src/platform/config.js';
import { pinoLogger } from '../src/platform/observability/logger.js';
import { isUuid } from '../src/kernel/text.js';
import { runCommand, withDatabase } from './database.js';
import { readFlags } from './flags.js';
import { REPLAY } from './usage.js';

const SHOWN_MAX = 100;

async function main(): Promise<number> {
  const { wallet, json } = readFlags(REPLAY.help, REPLAY.options, undefined, REPLAY.wrong);
  if (!isUuid(wallet)) {
    say('--wallet must be the id of a wallet; see --help');
    return REPLAY.wrong;
  }
  const config = readConfig(process.env);
  return withDatabase(config, say, async ({ ownerUrl, serviceUrl }) => {
    // Loaded once nothing stands in the way: it is most of the code, and of the time until a refusal.
    const { createCommandContext } = await import('../src/bootstrap.js');
    const { ReplayService } = await import('../src/contexts/simulation/replay.service.js');
    const app = await createCommandContext({
      config,
      databaseUrl: serviceUrl,
      ownerUrl,
      logger: pinoLogger('error'),
    });
    try {
      const report = await app.get(ReplayService).replay(wallet.toLowerCase());
      if (json) process.stdout.write(`${JSON.stringify({ wallet, ...report })}\n`);
      else {
        for (const { transactionId, createdAt, amount, recorded, now } of report.listed.slice(0, SHOWN_MAX)) {
          say(
            `${createdAt.toISOString()}  ${transactionId}  ${amount} kobo: ${word(recorded)} then, ${word(now)} now`,
          );
        }
        process.stdout.write(`${verdict(report)}\n`);
      }
      return report.differences === 0 ? 0 : 2;
    } finally {
      await app.close();
    }
  });
}

const word = (reason: string | null) => reason ?? 'approved';

function verdict({ attempts, differences }: { attempts: number; differences: number }): string {
  const all = `${attempts.toLocaleString('en')} recorded attempts`;
  if (attempts === 0) return 'There is no recorded attempt of this wallet.';
  if (differences === 0) return `The present rules decide all of ${all} as they were decided.`;
  return `The present rules decide ${differences.toLocaleString('en')} of ${all} otherwise than they were decided.`;
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

runCommand(main, 'The replay did not end. ');
