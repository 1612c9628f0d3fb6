import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { INHERITED, QUICK_START } from './inherited.js';
import { freePort } from './ports.js';
import { ServiceBuild } from './process.js';
import { until } from './service.js';

export type LogLine = Readonly<Record<string, unknown>>;

/** A service in a process of its own, with all that it ever wrote. */
export class LoggedService {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
    private readonly build: ServiceBuild,
    private readonly written: { text: string },
  ) {}

  static async start(databaseUrl: string, env: Record<string, string> = {}): Promise<LoggedService> {
    const build = new ServiceBuild();
    const port = Number(env.PORT) || (await freePort());
    const child = spawn(process.execPath, [QUICK_START, build.main], {
      env: { ...INHERITED, DATABASE_URL: databaseUrl, PORT: String(port), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const written = { text: '' };
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data: Buffer) => (written.text += String(data)));
    const service = new LoggedService(child, `http://127.0.0.1:${port}`, build, written);
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`the service did not start: ${written.text}`);
      return (await fetch(`${service.url}/health/ready`).catch(() => null))?.ok === true;
    }, 60_000);
    return service;
  }

  /** Standard output and error. */
  get text(): string {
    return this.written.text;
  }

  get lines(): LogLine[] {
    return this.text
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line) as LogLine);
  }

  /** Lines with this message, once there are `count` of them that hold `fields`. */
  async find(msg: string, fields: LogLine, count = 1): Promise<LogLine[]> {
    const found = (): LogLine[] =>
      this.lines.filter(
        (line) => line.msg === msg && Object.entries(fields).every(([name, value]) => line[name] === value),
      );
    await until(() => Promise.resolve(found().length >= count));
    return found();
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null) {
      this.child.kill('SIGTERM');
      await once(this.child, 'close');
    }
    this.build.remove();
  }
}
