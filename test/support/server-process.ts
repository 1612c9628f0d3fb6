import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { INHERITED } from './inherited.ts';

export const ROOT = join(import.meta.dirname, '../..');
const START_MS_MAX = 60_000;

export interface ServerOptions {
  readonly script: string;
  readonly port: number;
  readonly databaseUrl: string;
  /** Where what it prints goes. */
  readonly logFile: string;
  readonly nodeOptions?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** What the Node of the service in `checkout` is started with; older ones have it in their npm scripts. */
export function shippedNodeOptions(checkout: string): string[] {
  const flags = join(checkout, 'scripts/v8-flags.mjs');
  const text = fs.existsSync(flags)
    ? fs.readFileSync(flags, 'utf8')
    : /"start": .*/.exec(fs.readFileSync(join(checkout, 'package.json'), 'utf8'))?.[0];
  return text?.match(/(?<=[\s'])--[\w=-]+/g) ?? [];
}

/** The service as it is shipped, that of this checkout or of another: a database and a port are all it needs. */
export function serviceOptions(options: Omit<ServerOptions, 'script'>, checkout = ROOT): ServerOptions {
  const env = {
    LOG_LEVEL: 'warn',
    JWT_SECRET: 'a secret that replicas share, of tests only',
    ...options.env,
  };
  const nodeOptions = [...shippedNodeOptions(checkout), ...(options.nodeOptions ?? [])];
  return { ...options, script: join(checkout, 'dist/src/main.js'), env, nodeOptions };
}

/** Builds the service into dist/ where its sources have changed since the last build. */
export function buildService(): void {
  execFileSync(process.execPath, [join(ROOT, 'scripts/up-to-date.mjs')], { cwd: ROOT, stdio: 'inherit' });
}

/** A server in a process of its own, which can be killed and started again on its port. */
export class ServerProcess {
  private readonly options: ServerOptions;
  private process: ChildProcess | undefined;
  private readonly onExit = (): void => void this.process?.kill('SIGKILL');

  constructor(options: ServerOptions) {
    this.options = options;
  }

  get port(): number {
    return this.options.port;
  }

  get pid(): number {
    return this.process?.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.process?.exitCode === null && this.process.signalCode === null;
  }

  /** Starts it and waits until it says that it is ready. */
  async start(): Promise<void> {
    const { script, port, databaseUrl, logFile, nodeOptions = [], env } = this.options;
    const log = fs.openSync(logFile, 'a');
    const child = spawn(process.execPath, [...nodeOptions, script], {
      cwd: ROOT,
      env: {
        ...INHERITED,
        NODE_ENV: 'development',
        DATABASE_URL: databaseUrl,
        PORT: String(port),
        ...env,
      },
      stdio: ['ignore', log, log, 'ipc'],
    });
    fs.closeSync(log);
    this.process = child;
    process.off('exit', this.onExit).once('exit', this.onExit);
    const giveUp = Date.now() + START_MS_MAX;
    while (this.isRunning && Date.now() < giveUp) {
      const ready = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => null);
      await ready?.arrayBuffer();
      if (ready?.ok) return;
      await sleep(50);
    }
    throw new Error(
      `${script} does not start; see ${logFile}:\n${fs.readFileSync(logFile, 'utf8').slice(-2_000)}`,
    );
  }

  /** kill -9. */
  kill(): Promise<void> {
    return this.end('SIGKILL');
  }

  stop(): Promise<void> {
    return this.end('SIGTERM');
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    process.off('exit', this.onExit);
    const child = this.process;
    if (!child || !this.isRunning) return;
    const ended = new Promise((done) => child.once('exit', done));
    child.kill(signal);
    await ended;
  }

  /** Sends a message to the process and waits for the one it answers. */
  ask<Answer>(message: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.process?.once('message', (answer) => resolve(answer as Answer));
      this.process?.send(message, (error) => error && reject(error));
    });
  }
}
