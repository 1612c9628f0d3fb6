import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { BANK_KEY, bankSettings } from '../support/bank-books.ts';
import { INHERITED, QUICK_START } from '../support/inherited.ts';
import { freePort } from '../support/ports.ts';

export interface StageOptions {
  readonly seed: number;
  /** An empty database of its own. */
  readonly databaseUrl: string;
  /** Where the built service lies: `main.js` and `reconcile.js` below it. */
  readonly built: string;
}

export const ROOT = join(import.meta.dirname, '..', '..');
export const NODE = join(ROOT, 'node_modules', '.bin', 'node');

const START_MS_MAX = 60_000;
const BANK_SPEED = 20;
/** How long something is asked for again and again, in milliseconds. */
export const PATIENCE_MS = 60_000;

/** The fake bank and the service that pays through it, each a process of its own, and the service's database. */
export class Stage {
  readonly #options: StageOptions;
  readonly #database: pg.Pool;
  #port = 0;
  #bank: ChildProcess | undefined;
  #bankOrigin = '';
  #service: ChildProcess | undefined;
  readonly #onExit = (): void => {
    this.#service?.kill('SIGKILL');
    this.#bank?.kill('SIGKILL');
  };
  /** What the service is started with. */
  environment: Record<string, string> = {};

  constructor(options: StageOptions) {
    this.#options = options;
    this.#database = new pg.Pool({ connectionString: options.databaseUrl, max: 3 });
    this.#database.on('error', () => undefined);
    process.once('exit', this.#onExit);
  }

  async start(): Promise<void> {
    await this.startBank();
    await this.startService();
  }

  private async startBank(): Promise<void> {
    this.#port = await freePort();
    const hook = `http://127.0.0.1:${this.#port}/api/webhooks`;
    const flags = ['--port', '0', '--seed', String(this.#options.seed), '--speed', String(BANK_SPEED)];
    const hooks = ['--secret', BANK_KEY, '--webhook-url', hook, '--payout-webhook-url', `${hook}/payouts`];
    this.#bank = spawn(NODE, ['test/fake-bank/main.ts', ...flags, ...hooks], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const url = await new Promise<string>((resolve, reject) => {
      let said = '';
      this.#bank!.once('exit', () => reject(new Error('the fake bank ended')));
      this.#bank!.stdout!.on('data', (text: Buffer) => {
        said += text.toString();
        const found = /listening on (\S+)\n/.exec(said);
        if (found) resolve(found[1]!);
      });
    });
    this.#bankOrigin = new URL(url).origin;
    this.environment = {
      ...INHERITED,
      NODE_ENV: 'test',
      LOG_LEVEL: 'fatal',
      HOST: '127.0.0.1',
      PORT: String(this.#port),
      DATABASE_URL: this.#options.databaseUrl,
      // That of the tests' databases, whose receipt keys are sealed under it.
      JWT_SECRET: 'a secret that signs the session tokens of the tests',
      ...bankSettings(url, this.#port),
    };
  }

  /** Starts the service, and answers once it is ready. */
  async startService(): Promise<void> {
    const service = spawn(NODE, [QUICK_START, join(this.#options.built, 'src', 'main.js')], {
      cwd: ROOT,
      env: this.environment,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    this.#service = service;
    const giveUp = Date.now() + START_MS_MAX;
    while (!(await this.isReady())) {
      if (service.exitCode !== null || Date.now() > giveUp) throw new Error('the service does not start');
      await sleep(50);
    }
  }

  private async isReady(): Promise<boolean> {
    const response = await fetch(`http://127.0.0.1:${this.#port}/health/ready`).catch(() => undefined);
    return response?.ok === true;
  }

  /** kill -9; answers once it is dead. */
  async killService(): Promise<void> {
    this.#service!.kill('SIGKILL');
    await exited(this.#service!);
  }

  /** Tells the bank what to do, by its own door. */
  async control<Result = unknown>(method: string, path: string, body?: object): Promise<Result> {
    const response = await fetch(`${this.#bankOrigin}/__fake/${path}`, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    if (!response.ok) throw new Error(`the fake bank refused ${path}: ${await response.text()}`);
    return (await response.json()) as Result;
  }

  /** Sends a request to the service. */
  async post<Body>(
    path: string,
    body: object,
    headers: Record<string, string> = {},
    method = 'POST',
  ): Promise<{ status: number; body: Body }> {
    const response = await fetch(`http://127.0.0.1:${this.#port}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(15_000),
    });
    return { status: response.status, body: (await response.json()) as Body };
  }

  /** Asks for something again until it is made, as a client does whom a bank or a machine that is late has refused it. */
  async made<Body>(path: string, body: object, headers: Record<string, string> = {}): Promise<Body> {
    const giveUp = Date.now() + PATIENCE_MS;
    for (;;) {
      const answer = await this.post<Body>(path, body, headers).catch((error: unknown) => String(error));
      if (typeof answer === 'object' && answer.status === 201) return answer.body;
      const isFinal = typeof answer === 'object' && answer.status < 500;
      if (isFinal || Date.now() > giveUp) throw new Error(`POST ${path}: ${JSON.stringify(answer)}`);
      await sleep(200);
    }
  }

  async rows<Row>(text: string): Promise<Row[]> {
    return (await this.#database.query(text)).rows as Row[];
  }

  async end(): Promise<void> {
    process.off('exit', this.#onExit);
    for (const child of [this.#service, this.#bank]) {
      if (!child || child.exitCode !== null) continue;
      child.kill('SIGKILL');
      await exited(child);
    }
    await this.#database.end();
  }
}

function exited(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => child.once('exit', () => resolve()));
}
