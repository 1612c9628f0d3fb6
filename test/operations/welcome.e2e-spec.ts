import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { TestDatabase } from '../support/database.js';
import { INHERITED, QUICK_START } from '../support/inherited.js';
import { freePort } from '../support/ports.js';
import { ServiceBuild } from '../support/process.js';
import { until } from '../support/service.js';
import { plainDatabase } from '../support/service-database.js';

let build: ServiceBuild;
let database: TestDatabase;

beforeAll(async () => {
  build = new ServiceBuild();
  database = await plainDatabase();
});

afterAll(async () => {
  build.remove();
  await database.drop();
});

/** What the service says once it listens, up to and with `end`. */
async function welcome(port: number, env: Record<string, string>, end = '/health/ready'): Promise<string> {
  const child: ChildProcess = spawn(process.execPath, [QUICK_START, build.main], {
    env: {
      ...INHERITED,
      LOG_LEVEL: 'silent',
      PORT: String(port),
      DATABASE_URL: database.url,
      JWT_SECRET: 'a secret that signs the tokens of this test',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout?.on('data', (data: Buffer) => (said += String(data)));
  await until(() => Promise.resolve(said.includes(end)), 60_000);
  child.kill('SIGTERM');
  await once(child, 'close');
  return said;
}

it('names the database of its settings, and the dashboard that it serves', async () => {
  const port = await freePort();
  const said = await welcome(port, {});
  expect(said).toMatch(/Database: DATABASE_URL {3}Bank/);
  expect(said).toContain(`Dashboard:     http://127.0.0.1:${port}/\n`);
  expect(said).toContain(`open http://127.0.0.1:${port}/\n`);
}, 120_000);

it('names the database and the dashboard that npm run dev started beside it', async () => {
  const said = await welcome(await freePort(), {
    DEV_DATABASE: 'embedded PostgreSQL under /somewhere',
    DEV_DASHBOARD: 'http://localhost:5173/',
  });
  expect(said).toMatch(/Database: embedded PostgreSQL under \/somewhere {3}Bank/);
  expect(said).toContain('Dashboard:     http://localhost:5173/\n');
  expect(said).toContain('open http://localhost:5173/\n');
}, 120_000);

it('is JSON from the first line on in production, one line where it listens and what it works with', async () => {
  const port = await freePort();
  const production = {
    NODE_ENV: 'production',
    LOG_LEVEL: 'info',
    BANK_PROVIDER: 'sandbox',
    WEBHOOK_UNSIGNED: 'allow',
    GIT_COMMIT: '40e8496c1d2f',
  };
  const said = await welcome(port, production, 'listens on');
  const lines = said
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const url = `http://127.0.0.1:${port}`;
  expect(lines[0]).toMatchObject({
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    commit: '40e8496c1d2f',
    env: 'production',
    msg: expect.stringMatching(/ starts$/),
  });
  expect(lines.filter(({ msg }) => /listens on/.test(String(msg)))).toEqual([
    expect.objectContaining({
      level: 30,
      url,
      reference: `${url}/docs`,
      database: 'DATABASE_URL',
      bank: 'sandbox',
    }),
  ]);
}, 120_000);

it('the dashboard of npm run dev does not move to another port where its own is taken', async () => {
  const taken = createServer().listen(0, 'localhost');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const root = join(import.meta.dirname, '../..');
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const config = join(root, 'dashboard', 'vite.config.mjs');
  // Without the loader it would write into node_modules.
  const args = [vite, '--config', config, '--configLoader', 'native', '--port', String(port)];
  const child = spawn(process.execPath, args, { env: INHERITED, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data: Buffer) => (said += String(data)));
  const clock = setTimeout(() => child.kill('SIGKILL'), 30_000);
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(clock);
  taken.close();
  expect([code, said]).toEqual([1, expect.stringContaining(`Port ${port} is already in use`)]);
}, 60_000);
