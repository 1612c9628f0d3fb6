/** npm run upgrade-test: replaces a release by the next under load, and compares what was read before and after. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFlags, wholeNumber } from '../../scripts/flags.ts';
import { endOnSignals, removeAtExit } from '../support/end-on-signals.ts';

const HELP = `Usage: npm run upgrade-test -- [--payments N] [--proxy haproxy|nginx] [--from <ref> | --restart]

Builds the last release from git and has two replicas of it pay behind a proxy, then replaces one after the other by
this checkout under load. No request may fail, no payment may wait longer than 2 s, reconcile must agree, and every
earlier answer must read the same. Ends with a verdict, and with status 1 when anything is wrong.

  --payments N    that are there before (1,000,000; from 40,000 on the old release makes one in 20, the others are copies)
  --proxy <name>  with its file of ops/ (the first that is installed: apt-get install haproxy, or nginx)
  --from <ref>    the old release (the newest tag v…, else the commit of the newest release in CHANGELOG.md)
  --restart       replaces this checkout by itself
  --help
`;

const flags = readFlags(HELP, {
  payments: { type: 'string', default: '1000000' },
  proxy: { type: 'string' },
  from: { type: 'string' },
  restart: { type: 'boolean', default: false },
});
const payments = wholeNumber('payments', flags.payments, 1, 100_000_000);
const report = (line: string): void => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`);

// Loaded only now: a wrong flag, and --help, need none of it.
const { chooseProxy } = await import('./proxy.ts');
const { buildHere, buildRelease, lastRelease } = await import('./releases.ts');
const { upgradeTest } = await import('./upgrade-test.ts');
endOnSignals();
const folder = mkdtempSync(join(tmpdir(), 'wallet-upgrade-'));
const keep = removeAtExit(folder);
let release: ReturnType<typeof buildRelease> | undefined;
const endRelease = (): void => release?.end();
process.once('exit', endRelease);
try {
  const proxy = chooseProxy(flags.proxy);
  const to = buildHere(folder);
  if (!flags.restart) release = buildRelease(flags.from ?? lastRelease(), folder);
  const faults = await upgradeTest({ from: release ?? to, to, payments, proxy, folder, report });
  const broken = faults.filter(({ count }) => count > 0);
  for (const { name, count, example } of faults)
    if (count > 0 || !example)
      console.log(`${count > 0 ? '!' : ' '} ${name} ${count}${example ? `, such as\n    ${example}` : ''}`);
  if (broken.length > 0) keep();
  console.log(
    broken.length === 0
      ? `\n✓ ${release ? `Upgraded from ${release.name}` : 'Restarted'} behind ${proxy} under load: all ${faults.length} checks hold.`
      : `\n✗ ${broken.length} of ${faults.length} checks do not hold: ${broken.map(({ name }) => name).join('; ')}. Logs: ${folder}`,
  );
  process.exitCode = broken.length > 0 ? 1 : 0;
} catch (error) {
  console.error(`✗ The test did not end. ${(error as Error).message}`);
  process.exitCode = 1;
} finally {
  endRelease();
  process.off('exit', endRelease);
  if (process.exitCode === 0) rmSync(folder, { recursive: true, force: true });
}
