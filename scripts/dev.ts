/**
 * npm run start:dev and npm run dev: the service from its sources, started again at every change, alone or with the
 * dashboard.
 *
 * The embedded PostgreSQL is started here and not by the service: what restarts or ends the service signals every
 * process below it at once, and would cut PostgreSQL's connections before the service has closed them.
 */
import { readFlags } from './flags.ts';

const DASHBOARD = 'http://localhost:5173/';
const HELP = `Runs the service from its sources, and again at every change; its settings are those of npm start.

  npm run start:dev    the service alone
  npm run dev          the service and the dashboard, which is at http://localhost:5173

  --dashboard          with the dashboard
  --help
`;
const SIGNAL_AGAIN_MS = 1_000;

const { dashboard } = readFlags(HELP, { dashboard: { type: 'boolean', default: false } });
// Loaded only now: a wrong flag, and --help, need none of it.
const { default: concurrently } = await import('concurrently');
const { startEmbeddedPostgres } = await import('../src/platform/database/embedded-postgres.ts');
const { dataFolder } = await import('../src/platform/database/embedded/data-folder.ts');
const say = (line: string): void => void process.stdout.write(`${line}\n`);

let signaled = false;

async function main(): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => (signaled = true));
  const postgres = process.env.DATABASE_URL ? undefined : await openDatabase();
  if (!signaled) await runAll(postgres?.settings ?? {});
  await postgres?.stop();
}

async function openDatabase() {
  const { dir, notice } = dataFolder(process.env.DATA_DIR || undefined);
  if (notice) say(notice);
  const postgres = await startEmbeddedPostgres(dir, say, ({ message }) => {
    process.stderr.write(`${message}\n`);
    process.kill(process.pid, 'SIGTERM');
  });
  const settings = {
    DATABASE_URL: postgres.serviceUrl,
    DATABASE_OWNER_URL: postgres.url,
    DATA_DIR: dir,
    DEV_DATABASE: `embedded PostgreSQL under ${dir}`,
  };
  return { settings, stop: () => postgres.stop() };
}

/** Resolves when all have ended: by a signal to this process, or because one of them ended by itself. */
async function runAll(env: Record<string, string>): Promise<void> {
  // Without a shell in between that would end at a signal, and seem to be the program that is still draining.
  const exec = process.platform === 'win32' ? '' : 'exec ';
  // What the service says of itself at its start: it knows neither by its settings.
  const said = dashboard ? { ...env, DEV_DASHBOARD: DASHBOARD } : env;
  const service = { name: 'service', command: `${exec}nest start --watch --no-shell`, env: said };
  const screens = { name: 'dashboard', command: `${exec}vite --config dashboard/vite.config.mjs` };
  const { commands, result } = concurrently(dashboard ? [service, screens] : [service], {
    raw: !dashboard,
    killOthersOn: ['success', 'failure'],
  });
  // A signal that arrives while the service is being restarted does not reach the new one.
  const again = setInterval(() => {
    for (const command of commands) if (command.killed) command.kill('SIGTERM');
  }, SIGNAL_AGAIN_MS);
  await result.catch(() => {
    process.exitCode = signaled ? 0 : 1;
  });
  clearInterval(again);
}

await main();
