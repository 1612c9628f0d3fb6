import { join } from 'node:path';
import { readFlags, wholeNumber } from '../../scripts/flags.ts';
import { endOnSignals } from '../support/end-on-signals.ts';
import { buildService } from '../support/server-process.ts';

const HELP = `Pays and is paid at random, with a bank that fails at random and a service that is killed at random, then
compares the books of both to the kobo.

  npm run settlement-test -- [--seed <n>] [--minutes <n>]

  --seed <n>      the same seed makes the same choices; default: at random, and shown
  --minutes <n>   how long it goes on; default 1
  --help

It uses the server that TEST_DATABASE_URL names, or a PostgreSQL of its own. Exit code 1: a promise was
broken; what is wrong is printed.
`;

const flags = readFlags(HELP, {
  seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
  minutes: { type: 'string', default: '1' },
});
const seed = wholeNumber('seed', flags.seed, 0, 999_999_999);
const minutes = wholeNumber('minutes', flags.minutes, 1, 24 * 60);
const say = (line: string): void => void process.stderr.write(`${line}\n`);

// Loaded only now: a wrong flag, and --help, need none of it.
const { freshDatabase } = await import('../support/database.ts');
const { PostgresServer } = await import('../support/postgres-server.ts');
const { runSettlement } = await import('./run.ts');
endOnSignals();
buildService();
const postgres = process.env.TEST_DATABASE_URL ? undefined : await PostgresServer.start();
if (postgres) process.env.TEST_DATABASE_URL = postgres.url();
const database = await freshDatabase();
say(`seed ${seed}, ${minutes} min`);
try {
  const built = join(import.meta.dirname, '..', '..', 'dist');
  const { wrong, ...counts } = await runSettlement({
    seed,
    length: { ms: minutes * 60_000 },
    databaseUrl: database.url,
    built,
    report: say,
  });
  process.stdout.write(`${JSON.stringify({ seed, ...counts, wrong: wrong.length })}\n`);
  for (const line of wrong.slice(0, 50)) process.stdout.write(`WRONG: ${line}\n`);
  process.stdout.write(
    wrong.length === 0
      ? '\n✓ The books of the bank and of the service agree to the kobo, and every promise was kept.\n'
      : `\n✗ ${wrong.length} promises were broken. The same choices again: ` +
          `npm run settlement-test -- --seed ${seed} --minutes ${minutes}\n`,
  );
  process.exitCode = wrong.length > 0 ? 1 : 0;
} finally {
  await database.drop();
  await postgres?.remove();
}
