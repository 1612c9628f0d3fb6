import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileService } from './compile.js';
import { INHERITED, QUICK_START } from './inherited.js';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');

/**
 * The service as it is started for real, a process that can be killed: what a whole run of the tests has built, or else
 * compiled in a second into a folder of its own.
 */
export class ServiceBuild {
  private readonly folder: string;

  /** Packed where a whole run packed it (packed-service.mjs), but for who wants it `asBuilt`. */
  constructor({ asBuilt = false } = {}) {
    const built = process.env[asBuilt ? 'TEST_BUILT' : 'TEST_PACKED'];
    this.folder = built ?? join(ROOT, 'dist', `test-${process.pid}`);
    if (!built) compileService(ROOT, this.folder);
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
    const flags = [QUICK_START, ...(preload ? ['--import', preload] : [])];
    const child = spawn(process.execPath, [...flags, this.main], {
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
