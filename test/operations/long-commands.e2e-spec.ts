import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from '@jest/globals';
import { INHERITED } from '../support/inherited.js';
import { until } from '../support/service.js';

const ROOT = join(import.meta.dirname, '../..');

function node(...args: string[]) {
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: INHERITED,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data: Buffer) => (said += String(data)));
  return { child, said: () => said.trim() };
}

it.each([
  ['--pairs', '0', '--pairs must be a whole number from 1 to 1000; see --help'],
  ['--pairs', '-1', '--pairs must be a whole number from 1 to 1000; see --help'],
  ['--pairs', 'two', '--pairs must be a whole number from 1 to 1000; see --help'],
  ['--seconds', '0', '--seconds must be a number from 0.1 to 3600; see --help'],
])('the benchmark refuses %s %s before it measures anything', async (flag, value, line) => {
  const { child, said } = node('scripts/run.mjs', 'bench', 'headline', flag, value);
  const clock = setTimeout(() => child.kill('SIGINT'), 20_000);
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(clock);
  expect([code, said()]).toEqual([2, line]);
});

it.each(['ftp://x', 'nonsense', 'localhost:3000'])(
  'the demo refuses the address %s in one line',
  async (url) => {
    const { child, said } = node('scripts/run.mjs', 'demo', '--url', url);
    const [code] = (await once(child, 'close')) as [number | null];
    const line = '--url must be an http or https address, e.g. http://127.0.0.1:3000; see --help';
    expect([code, said()]).toEqual([2, line]);
  },
);

it.each(['SIGINT', 'SIGTERM'] as const)(
  'a command that is ended by %s leaves no PostgreSQL and no folder behind',
  async (signal) => {
    const { child, said } = node(
      '--input-type=module',
      '--eval',
      `import { mkdtempSync } from 'node:fs';
       import { tmpdir } from 'node:os';
       import { endOnSignals, removeAtExit } from './test/support/end-on-signals.ts';
       import { PostgresServer } from './test/support/postgres-server.ts';
       endOnSignals();
       const folder = mkdtempSync(tmpdir() + '/wallet-ended-');
       removeAtExit(folder);
       const server = await PostgresServer.start();
       const [{ pid }] = await server.run("SELECT split_part(pg_read_file('postmaster.pid'), chr(10), 1) AS pid");
       console.log('started', pid, folder, server.sockets);
       setInterval(() => {}, 1_000);`,
    );
    await until(() => Promise.resolve(said().startsWith('started')), 60_000);
    const [, pid, folder = '', data = ''] = said().split(' ');
    const postgres = Number(pid);
    process.kill(postgres, 0);
    child.kill(signal);
    await once(child, 'close');
    const isGone = () => {
      try {
        process.kill(postgres, 0);
        return false;
      } catch {
        return true;
      }
    };
    await until(() => Promise.resolve(isGone()), 30_000);
    expect([folder, dirname(data)].map((path) => existsSync(path))).toEqual([false, false]);
  },
  120_000,
);
