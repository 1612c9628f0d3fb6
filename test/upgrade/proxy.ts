import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from '../support/server-process.ts';

export type ProxyName = 'haproxy' | 'nginx';

const START_MS_MAX = 10_000;

/** Each is started on the file of `ops/`, with other ports. */
const PROXIES = {
  haproxy: { file: 'ops/haproxy.cfg', args: (config: string) => ['-db', '-f', config] },
  nginx: { file: 'ops/nginx.conf', args: (config: string) => ['-c', config, '-g', 'daemon off;'] },
} as const;

/** Debian has nginx where only root looks. */
const ENVIRONMENT = { PATH: `${process.env.PATH ?? ''}:/usr/sbin:/usr/local/sbin` };

const isInstalled = (name: ProxyName): boolean => {
  try {
    execFileSync(name, ['-v'], { stdio: 'ignore', env: ENVIRONMENT });
    return true;
  } catch {
    return false;
  }
};

/** The one that was asked for, else one that is installed. */
export function chooseProxy(asked: string | undefined): ProxyName {
  const names = (Object.keys(PROXIES) as ProxyName[]).filter((name) => asked === undefined || name === asked);
  if (names.length === 0) throw new Error(`--proxy is haproxy or nginx, not ${asked ?? ''}`);
  const found = names.find(isInstalled);
  if (!found) throw new Error(`${names.join(' or ')} is needed: apt-get install ${names[0] ?? ''}`);
  return found;
}

export class Proxy {
  private readonly process: ChildProcess;
  private readonly onExit = (): void => void this.process.kill('SIGKILL');

  private constructor(process: ChildProcess) {
    this.process = process;
    globalThis.process.once('exit', this.onExit);
  }

  static async start(
    name: ProxyName,
    port: number,
    replicas: readonly number[],
    folder: string,
  ): Promise<Proxy> {
    const { file, args } = PROXIES[name];
    const config = join(folder, file.replace('ops/', ''));
    const text = readFileSync(join(ROOT, file), 'utf8')
      .replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`)
      .replaceAll('127.0.0.1:3001', `127.0.0.1:${replicas[0] ?? ''}`)
      .replaceAll('127.0.0.1:3002', `127.0.0.1:${replicas[1] ?? ''}`)
      .replace('/tmp/agent-payment-wallet-nginx.pid', join(folder, 'nginx.pid'));
    writeFileSync(config, text);
    const log = openSync(join(folder, `${name}.log`), 'a');
    const child = spawn(name, args(config), { stdio: ['ignore', log, log], env: ENVIRONMENT });
    closeSync(log);
    const proxy = new Proxy(child);
    const giveUp = Date.now() + START_MS_MAX;
    while (!(await isListening(port))) {
      if (child.exitCode !== null || Date.now() > giveUp)
        throw new Error(`${name} does not start:\n${readFileSync(join(folder, `${name}.log`), 'utf8')}`);
      await sleep(50);
    }
    return proxy;
  }

  async stop(): Promise<void> {
    globalThis.process.off('exit', this.onExit);
    if (this.process.exitCode !== null) return;
    const ended = once(this.process, 'exit');
    this.process.kill('SIGTERM');
    await ended;
  }
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  }).finally(() => socket.destroy()) as Promise<boolean>;
}
