import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FullConfig } from '@playwright/test';
import { freshDatabase } from '../support/database.js';
import { freePort } from '../support/ports.js';
import { PostgresServer } from '../support/postgres-server.js';

const ROOT = join(import.meta.dirname, '..', '..');
const READY_MS_MAX = 60_000;
/** ₦1,000: above it a second operator confirms. */
const FOUR_EYES_KOBO = 100_000;
/** The database ends with the run: no commit waits for a disk. */
const POSTGRES = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/**
 * Starts the built service on a free port and a database of its own, for the whole run. PostgreSQL is the one that
 * TEST_DATABASE_URL names, else one of its own.
 */
export default async function start({ projects }: FullConfig): Promise<() => Promise<void>> {
  const browser = projects[0]?.use.launchOptions?.executablePath;
  if (browser && !existsSync(browser)) {
    throw new Error(
      `There is no browser at ${browser}: install Debian's chromium-headless-shell, or name another by CHROMIUM.`,
    );
  }
  if (!existsSync(join(ROOT, 'dist', 'dashboard', 'index.html')))
    throw new Error('Run `npm run build` first.');
  const folder = join(tmpdir(), `wallet-browser-tests-${randomUUID()}`);
  const postgres = process.env.TEST_DATABASE_URL ? undefined : await PostgresServer.start(POSTGRES);
  if (postgres) process.env.TEST_DATABASE_URL = postgres.url();
  const database = await freshDatabase();
  const port = await freePort();
  // What the service mails in development stands in its log.
  const logFile = `${folder}.log`;
  const log = await open(logFile, 'w');
  process.env.SERVICE_DATABASE_URL = database.url;
  process.env.SERVICE_DATA_DIR = folder;
  const service = spawn(process.execPath, [join(ROOT, 'dist', 'src', 'main.js')], {
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      DATABASE_URL: database.url,
      DATA_DIR: folder,
      OPERATOR_FOUR_EYES_KOBO: String(FOUR_EYES_KOBO),
      WEBHOOK_ALLOW_PRIVATE: 'true',
      WEBHOOK_RETRY_SECONDS: '1,1,3600',
    },
    stdio: ['ignore', log.fd, 'inherit'],
  });
  const gone = once(service, 'exit');
  const stop = async () => {
    service.kill('SIGTERM');
    await gone;
    await database.drop();
    await postgres?.remove();
    await log.close();
    await rm(logFile);
    await rm(folder, { recursive: true, force: true });
  };
  process.env.SERVICE_LOG = logFile;
  process.env.SERVICE_URL = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + READY_MS_MAX;
  while (Date.now() < deadline && service.exitCode === null) {
    const ready = await fetch(`${process.env.SERVICE_URL}/health/ready`).catch(() => undefined);
    if (ready?.ok) return stop;
    await sleep(100);
  }
  await stop();
  throw new Error('the service did not start');
}
