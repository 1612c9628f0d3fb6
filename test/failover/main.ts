/**
 * npm run failover-test: pays through every fault of a cluster, and reads the books.
 *
 * The control proves that a loss would be found: without synchronous replication the same fault loses payments.
 */
import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Cluster, PORTS } from '../../ops/cluster/cluster.ts';
import { readFlags, wholeNumber } from '../../scripts/flags.ts';
import { endOnSignals } from '../support/end-on-signals.ts';
import { buildService } from '../support/server-process.ts';
import { type FaultReport, line, payThrough } from './failover-test.ts';
import { FAULTS } from './faults.ts';

const HELP = `Starts a cluster on loopback (see ops/cluster/README.md) and pays through one fault after the other, with clients
that repeat under the same Idempotency-Key until they are told that they paid. Then each payment that was acknowledged must
be in the books, once, and service must have been away no longer than its bound. Some 12 minutes.

  npm run failover-test
  npm run failover-test -- --only etcd-down,control --seconds 5

  --only <names>   some of: ${FAULTS.map(({ name }) => name).join(', ')}
  --seconds <n>    of paying before each fault, and after it (8)
  --clients <n>    that pay at once (24)
  --port <n>       the first of ${PORTS} ports in a row (26400)
  --help

Less than a second without a payment counts as none. Exit code: 0 nothing lost, nothing doubled, all bounds kept, and the
control lost something; 1 else.
`;

const flags = readFlags(HELP, {
  only: { type: 'string', default: FAULTS.map(({ name }) => name).join(',') },
  seconds: { type: 'string', default: '8' },
  clients: { type: 'string', default: '24' },
  port: { type: 'string', default: '26400' },
});
const names = flags.only.split(',').map((name) => name.trim());
const unknown = names.find((name) => !FAULTS.some((fault) => fault.name === name));
if (unknown !== undefined) {
  process.stderr.write(`--only knows no fault ${unknown}; see --help\n`);
  process.exit(2);
}
const load = {
  seconds: wholeNumber('seconds', flags.seconds, 1, 600),
  clients: wholeNumber('clients', flags.clients, 1, 200),
};
const firstPort = wholeNumber('port', flags.port, 1_024, 65_536 - PORTS);
const startedAt = performance.now();
const report = (text: string): void =>
  void process.stdout.write(
    `${((performance.now() - startedAt) / 1_000).toFixed(0).padStart(4)} s  ${text}\n`,
  );

const folder = mkdtempSync(join(tmpdir(), 'wallet-failover-'));
// PostgreSQL's user enters it too.
chmodSync(folder, 0o755);
let cluster: Cluster | undefined;
process.once('exit', () => cluster?.downAtOnce());
endOnSignals();
try {
  cluster = await Cluster.create(folder, firstPort);
  buildService();
  await cluster.up(report);
  const results: FaultReport[] = [];
  for (const fault of FAULTS.filter(({ name }) => names.includes(name)))
    results.push(await payThrough(cluster, fault, load, report));
  process.stdout.write(`\n${results.map((result) => `  ${line(result)}`).join('\n')}\n`);
  process.stdout.write(`\n${verdict(results)}\n`);
  process.exitCode = results.every(({ broken }) => broken.length === 0) ? 0 : 1;
} catch (error) {
  process.stderr.write(`\n✗ ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  await cluster?.down();
}

function verdict(results: readonly FaultReport[]): string {
  const broken = results.filter((result) => result.broken.length > 0);
  if (broken.length > 0) return `✗ Not survived: ${broken.map(({ name }) => name).join(', ')}.`;
  const real = results.filter(({ name }) => name !== 'control');
  const control = results.find(({ name }) => name === 'control');
  const total = real.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  const power = control
    ? ` The control lost ${control.lost}: a loss would have been seen.`
    : ' The control did not run: whether a loss would have been seen is not known.';
  return `✓ ${total} payments acknowledged through ${real.length} faults: 0 lost, 0 doubled, every bound kept.${power}`;
}
