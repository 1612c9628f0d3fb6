import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@swc/core';
import { INHERITED } from './inherited.js';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');

/** As `tsc` compiles it; a variable, since the types of swc do not know the last option yet. */
const JSC = {
  target: 'es2024' as const,
  parser: { syntax: 'typescript' as const, decorators: true },
  transform: { legacyDecorator: true, decoratorMetadata: true },
  rewriteRelativeImportExtensions: true,
};

/**
 * The service as it is started for real, a process that can be killed: what a whole run of the tests has built, or else
 * compiled in a second into a folder of its own.
 */
export class ServiceBuild {
  private readonly folder: string;

  /** `isPacked` is for tests that start it many times: see packed-service.mjs. It holds the service and `reconcile`. */
  constructor({ isPacked = false } = {}) {
    const built = process.env[isPacked ? 'TEST_PACKED' : 'TEST_BUILT'];
    this.folder = built ?? join(ROOT, 'dist', `test-${process.pid}`);
    if (!built) this.compile();
  }

  private compile(): void {
    mkdirSync(this.folder, { recursive: true });
    writeFileSync(join(this.folder, 'package.json'), '{"type":"module"}');
    symlinkSync(join(ROOT, 'node_modules'), join(this.folder, 'node_modules'));
    for (const top of ['src', 'migrations', 'scripts']) {
      for (const path of readdirSync(join(ROOT, top), { recursive: true, encoding: 'utf8' })) {
        if (!path.endsWith('.ts') || path.endsWith('spec.ts')) continue;
        const { code } = transformSync(readFileSync(join(ROOT, top, path), 'utf8'), {
          jsc: JSC,
          module: { type: 'es6' },
        });
        const target = join(this.folder, top, path.replace(/\.ts$/, '.js'));
        mkdirSync(dirname(target), { recursive: true });
        writeFileSync(target, code);
      }
    }
  }

  /** Where `src/main.js` and `scripts/` lie. */
  get root(): string {
    return this.folder;
  }

  /** The file that starts it. */
  get main(): string {
    return join(this.folder, 'src/main.js');
  }

  /** Starts it on `port`, with `preload` before it; answers once it is ready. */
  async start(port: number, env: Record<string, string>, preload?: string): Promise<ServiceProcess> {
    const child = spawn(process.execPath, [...(preload ? ['--import', preload] : []), this.main], {
      env: { LOG_LEVEL: 'error', ...env, ...INHERITED, PORT: String(port) },
      // What it greets people with is none of the report's; what goes wrong it says on the other stream.
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const service = new ServiceProcess(child, `http://127.0.0.1:${port}`);
    for (let i = 0; ; i += 1) {
      const ready = await fetch(`${service.url}/health/ready`).catch(() => null);
      if (ready?.ok) return service;
      if (i > 300 || child.exitCode !== null) throw new Error('the service did not start');
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  remove(): void {
    if (process.env['TEST_BUILT']) return;
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** One running service. */
export class ServiceProcess {
  constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {}

  /** Ends it without a word (`SIGKILL`), or as an operator would (`SIGTERM`). */
  async kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill(signal);
    await ended;
  }

  /** Freezes it, as a machine without CPU time does; its connections stay open. */
  freeze(): void {
    this.child.kill('SIGSTOP');
  }

  thaw(): void {
    this.child.kill('SIGCONT');
  }

  /** Tells what was loaded before it. */
  tell(): void {
    this.child.kill('SIGUSR2');
  }

  async call<Body>(
    method: string,
    path: string,
    { token, key, body }: { token?: string; key?: string; body?: unknown } = {},
  ): Promise<Body> {
    const response = await fetch(this.url + path, {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(key !== undefined && { 'x-api-key': key }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as Body;
  }
}
