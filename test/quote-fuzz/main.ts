import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { readFlags, wholeNumber } from '../../scripts/flags.ts';

const HELP = `Quotes and pays at random, from wallets with every rule that an owner can ask for, and holds each quote against the
payment that follows it. The database's clock is moved, not waited for.

  npm run quote-fuzz -- [--cases <n>] [--seed <n>]

  --cases <n>   how many payments; default 10000, which takes some minutes
  --seed <n>    the same seed makes the same choices; default: at random, and shown
  --help

It uses the server that TEST_DATABASE_URL names, or an embedded PostgreSQL of its own. Exit code 1: a quote disagreed
with what followed it, or a rule never decided anything; which is printed.
`;

const flags = readFlags(HELP, {
  cases: { type: 'string', default: '10000' },
  seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
});
const cases = wholeNumber('cases', flags.cases, 1, 1_000_000);
const seed = wholeNumber('seed', flags.seed, 0, 999_999_999);
const ROOT = join(import.meta.dirname, '../..');
const jest = join(ROOT, 'node_modules/jest/bin/jest.js');

process.stdout.write(`seed ${seed}, ${cases} cases\n`);
const run = spawn(
  process.execPath,
  [jest, '--runInBand', '--forceExit', 'test/payments/quote-fuzz.e2e-spec.ts'],
  {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'pipe'],
    env: { ...process.env, QUOTE_FUZZ_CASES: String(cases), QUOTE_FUZZ_SEED: String(seed) },
  },
);
// What the test's runner has to say matters only where it did not come to a verdict.
let report = '';
run.stderr.on('data', (piece: Buffer) => (report += String(piece)));
run.on('close', (code) => {
  if (code !== 0 && !report.includes('disagreements')) process.stderr.write(report);
  process.exitCode = code ?? 1;
});
