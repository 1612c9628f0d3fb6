import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCommandLine, wholeNumber } from '../../scripts/flags.ts';
import { Cluster, PORTS } from './cluster.ts';

const FOLDER = join(tmpdir(), 'agent-payment-wallet-cluster');
const FIRST_PORT = 25_400;

const HELP = `A cluster that loses nothing, on loopback: three synchronous PostgreSQL under Patroni, etcd, HAProxy and two
replicas of the service.

  npm run cluster -- up       starts it, in a minute or so, and says where
  npm run cluster -- status   what runs, and who leads
  npm run cluster -- down     ends it and removes what it stored

  --folder <path>   where it keeps everything (${FOLDER})
  --port <n>        the first of ${PORTS} ports in a row (${FIRST_PORT}); the service is reached there
  --help

It takes Debian's packages patroni, etcd-server, haproxy and postgresql. As root the databases run as the user postgres.
Exit code: 0 done, or all runs; 1 not.
`;

const { values, positionals } = readCommandLine(
  HELP,
  { folder: { type: 'string', default: FOLDER }, port: { type: 'string', default: String(FIRST_PORT) } },
  ['up', 'status', 'down'],
);
const { folder } = values;
const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function up(): Promise<number> {
  const firstPort = wholeNumber('port', values.port, 1_024, 65_536 - PORTS);
  const cluster = await Cluster.create(folder, firstPort);
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      cluster.downAtOnce();
      process.exit(1);
    });
  execFileSync(process.execPath, [join(import.meta.dirname, '../../scripts/up-to-date.mjs')], {
    stdio: 'inherit',
  });
  try {
    await cluster.up(say);
  } catch (error) {
    await cluster.processes.killAll();
    throw error;
  }
  say(
    `\n✓ The service: ${cluster.url}   The primary: ${cluster.databaseUrl}\n  End it with: npm run cluster -- down`,
  );
  return 0;
}

async function status(): Promise<number> {
  const cluster = Cluster.at(folder);
  if (!cluster) {
    say(`There is no cluster in ${folder}. Start one: npm run cluster -- up`);
    return 1;
  }
  for (const name of cluster.processes.names.sort()) {
    const pid = cluster.processes.pidOf(name);
    say(`${name.padEnd(10)} ${pid ? `process ${pid}` : 'does not run'}`);
  }
  for (const { name, role, state } of await cluster.members()) say(`${name.padEnd(10)} ${role}, ${state}`);
  const isHealthy = await cluster.isHealthy();
  say(
    isHealthy
      ? `✓ One leader, two synchronous standbys. The service: ${cluster.url}`
      : `✗ Not whole. See ${folder}/log.`,
  );
  return isHealthy ? 0 : 1;
}

async function down(): Promise<number> {
  await Cluster.at(folder)?.down();
  say('✓ Nothing of it runs.');
  return 0;
}

const commands = { up, status, down };
const command = positionals.length === 1 ? commands[positionals[0] as keyof typeof commands] : undefined;
if (!command) {
  process.stderr.write('One of up, status and down is needed; see --help\n');
  process.exit(2);
}
await command().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  },
);
