import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { until } from '../support/service.js';
import {
  runningEmbeddedPostgres,
  startEmbeddedPostgres,
  type EmbeddedPostgres,
} from '../../src/platform/database/embedded-postgres.js';

const isRoot = process.getuid?.() === 0;
/** A data folder as the first start leaves it: a copy takes a fraction of the time of preparing one. */
const template = join(tmpdir(), `embedded-postgres-${randomUUID()}`);
/** What the first start said, and what it started. */
const first = { lines: [] as string[], url: '', settings: [] as unknown[] };
let dir: string;
let lines: string[];
let running: EmbeddedPostgres[];
let processes: number[];

beforeAll(async () => {
  const postgres = await startEmbeddedPostgres(template, (line) => first.lines.push(line));
  first.url = postgres.url;
  first.settings = await query(
    postgres.url,
    `SELECT current_setting('fsync') AS fsync, current_setting('listen_addresses') AS listens,
            current_setting('synchronous_commit') AS sync, current_setting('server_encoding') AS encoding`,
  );
  await postgres.stop();
}, 60_000);
afterAll(() => rmSync(template, { recursive: true, force: true }));

/** Has the next start find its folder prepared; with the owners and modes that the preparation gave it. */
const prepare = (): void => void execFileSync('cp', ['-a', template, dir]);

beforeEach(() => {
  dir = join(tmpdir(), `embedded-postgres-${randomUUID()}`);
  lines = [];
  running = [];
  processes = [];
});

afterEach(async () => {
  for (const pid of processes) kill(pid);
  for (const postgres of running) await postgres.stop();
  rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
});

async function start(folder = dir): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres(folder, (line) => lines.push(line));
  running.push(postgres);
  return postgres;
}

async function query<Row>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  // A server that is killed under an idle connection says so here too.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(text)).rows as Row[];
  } finally {
    await client.end();
  }
}

const putRow = (url: string) => query(url, 'CREATE TABLE kept AS SELECT 42 AS answer');
const rows = (url: string) => query(url, 'SELECT answer FROM kept');

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

function isRunning(pid: number): boolean {
  if (pid === 0) return false;
  try {
    process.kill(pid, 0);
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** A process of its own that starts the database in `dir`, tells its URL, and goes on until it is ended. */
async function startOwner(afterwards = 'setInterval(() => {}, 1000)') {
  const code = `
    import { startEmbeddedPostgres } from '${new URL('../../src/platform/database/embedded-postgres.ts', import.meta.url).href}';
    const postgres = await startEmbeddedPostgres(${JSON.stringify(dir)}, () => {});
    console.log(postgres.url);
    ${afterwards}`;
  const owner = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  if (owner.pid) processes.push(owner.pid);
  let complaint = '';
  owner.stderr.on('data', (data: Buffer) => (complaint += data.toString()));
  const url = await Promise.race([
    once(owner.stdout, 'data').then(([data]) => String(data).trim()),
    once(owner, 'exit').then(() => undefined),
  ]);
  return { owner, url, complaint: () => complaint };
}

/** The process that `postmaster.pid` still names; 0 when there is no such file, as after a clean stop. */
const postmasterLeft = () => (existsSync(join(dir, 'postgres', 'postmaster.pid')) ? postmaster() : 0);

const postmaster = () => Number(readFileSync(join(dir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);

describe('the embedded PostgreSQL', () => {
  it('prepares a durable database at the first start, on the loopback interface only', () => {
    expect(first.lines).toEqual(['Preparing the database (first start only)…']);
    expect(new URL(first.url)).toMatchObject({ hostname: '127.0.0.1', pathname: '/wallet' });
    expect(first.settings).toEqual([{ fsync: 'on', listens: '127.0.0.1', sync: 'on', encoding: 'UTF8' }]);
    expect(statSync(join(template, 'postgres-password')).mode & 0o777).toBe(0o600);
  });

  it('asks everyone for the password', async () => {
    prepare();
    const { url } = await start();
    const wrong = new URL(url);
    wrong.password = 'guessed';
    await expect(query(wrong.href, 'SELECT 1')).rejects.toThrow(/password authentication failed/);
  });

  it('keeps its rows over a restart and prepares nothing again', async () => {
    prepare();
    const first = await start();
    await putRow(first.url);
    await first.stop();
    lines.length = 0;
    const second = await start();
    expect(await rows(second.url)).toEqual([{ answer: 42 }]);
    expect(lines).toEqual([]);
  });

  it('leaves no process and no claim behind when it is stopped, and may be stopped twice', async () => {
    prepare();
    const postgres = await start();
    const pid = postmaster();
    await Promise.all([postgres.stop(), postgres.stop()]);
    await postgres.stop();
    expect(isRunning(pid)).toBe(false);
    expect(readdirSync(dir).filter((name) => name.startsWith('postgres-owner.'))).toEqual([]);
  });

  it('hooks no signal: when to stop is for the service to say', async () => {
    prepare();
    const before = ['SIGINT', 'SIGTERM', 'SIGHUP', 'beforeExit'].map((name) => process.listenerCount(name));
    await start();
    expect(['SIGINT', 'SIGTERM', 'SIGHUP', 'beforeExit'].map((name) => process.listenerCount(name))).toEqual(
      before,
    );
  });

  it('does not feel the Ctrl-C that reaches the process group of the service', async () => {
    prepare();
    await start();
    const group = readFileSync(`/proc/${postmaster()}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')[2];
    expect(Number(group)).toBe(postmaster());
  });

  it('keeps a row when the process that owns it is killed with -9, and ends the orphan', async () => {
    prepare();
    const { owner, url = '' } = await startOwner();
    await putRow(url);
    const orphan = postmaster();
    processes.push(orphan);
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    expect(isRunning(orphan)).toBe(true);
    const postgres = await start();
    expect(lines).toEqual([expect.stringContaining(`(process ${orphan})`)]);
    expect(isRunning(orphan)).toBe(false);
    expect(await rows(postgres.url)).toEqual([{ answer: 42 }]);
  });

  it('starts anew after a kill -9 of PostgreSQL itself and of its owner, with old backends still at work', async () => {
    prepare();
    const { owner, url = '' } = await startOwner();
    await putRow(url);
    const busy = new pg.Client({ connectionString: url });
    busy.on('error', () => undefined);
    await busy.connect();
    const work = busy.query('SELECT count(*) FROM generate_series(1, 1e9)').catch((error: unknown) => error);
    await until(async () => {
      const active = await query(
        url,
        `SELECT 1 FROM pg_stat_activity WHERE query LIKE '%1e9%' AND pid <> pg_backend_pid()`,
      );
      return active.length === 1;
    });
    process.kill(postmaster(), 'SIGKILL');
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    const postgres = await start();
    expect(await rows(postgres.url)).toEqual([{ answer: 42 }]);
    expect(await work).toBeInstanceOf(Error);
    await busy.end().catch(() => undefined);
  });

  it('starts PostgreSQL again on the same port when it is killed, and says so', async () => {
    prepare();
    const postgres = await start();
    await putRow(postgres.url);
    const pid = postmaster();
    lines.length = 0;
    process.kill(pid, 'SIGKILL');
    await until(() => Promise.resolve(lines.length === 2), 60_000);
    expect(lines).toEqual([
      `PostgreSQL (process ${pid}) ended by itself: SIGKILL`,
      `PostgreSQL runs again (process ${postmaster()})`,
    ]);
    expect(postmaster()).not.toBe(pid);
    expect(await rows(postgres.url)).toEqual([{ answer: 42 }]);
    await postgres.stop();
    expect(lines).toHaveLength(2);
    expect(await rows((await start()).url)).toEqual([{ answer: 42 }]);
  });

  it('gives up, once and with one line, when PostgreSQL ends more than five times within a minute', async () => {
    prepare();
    const given: string[] = [];
    const postgres = await startEmbeddedPostgres(
      dir,
      (line) => lines.push(line),
      (error) => given.push(error.message),
    );
    running.push(postgres);
    const restarts = () => lines.filter((line) => line.startsWith('PostgreSQL runs again')).length;
    for (let i = 1; i <= 5; i++) {
      process.kill(postmaster(), 'SIGKILL');
      await until(() => Promise.resolve(restarts() === i), 60_000);
      expect(given).toEqual([]);
    }
    const last = postmaster();
    process.kill(last, 'SIGKILL');
    await until(() => Promise.resolve(given.length > 0), 60_000);
    expect(given).toEqual(['PostgreSQL ended by itself more than 5 times within a minute']);
    expect(restarts()).toBe(5);
    expect(isRunning(last)).toBe(false);
  }, 120_000);

  it('is not started again by a restart that is under way when it is stopped', async () => {
    prepare();
    const postgres = await start();
    process.kill(postmaster(), 'SIGKILL');
    await until(() => Promise.resolve(lines.some((line) => line.includes('ended by itself'))));
    await postgres.stop();
    expect(isRunning(postmasterLeft())).toBe(false);
    expect(readdirSync(dir).filter((name) => name.startsWith('postgres-owner.'))).toEqual([]);
  });

  it('refuses a second start while a live process owns the folder, and the first goes on working', async () => {
    prepare();
    const { owner, url = '' } = await startOwner();
    await putRow(url);
    const before = readdirSync(dir);
    await expect(start()).rejects.toThrow(
      new RegExp(`in use by process ${owner.pid} .*stop it, set another DATA_DIR, or set DATABASE_URL`),
    );
    expect(readdirSync(dir)).toEqual(before);
    expect(await rows(url)).toEqual([{ answer: 42 }]);
    processes.push(postmaster());
  });

  it('refuses a second start in the process that owns the folder', async () => {
    prepare();
    const { url } = await start();
    await expect(start()).rejects.toThrow(`in use by process ${process.pid} `);
    await putRow(url);
  });

  it('lets one of several that start at the same moment have the folder', async () => {
    const owners = await Promise.all([1, 2, 3].map(() => startOwner()));
    expect(owners.filter(({ url }) => url !== undefined)).toHaveLength(1);
    for (const { url, complaint } of owners) if (!url) expect(complaint()).toContain('in use by process');
    processes.push(postmaster());
  });

  it('takes over a claim whose process is dead, or whose number has gone to another process', async () => {
    prepare();
    const stale = [`postgres-owner.4194304.1-abcdef01`, `postgres-owner.${process.ppid}.1-abcdef01`];
    for (const name of stale) writeFileSync(join(dir, name), '');
    await putRow((await start()).url);
    for (const name of stale) expect(readdirSync(dir)).not.toContain(name);
  });

  it('is not held up by a postmaster.pid whose number has gone to another process', async () => {
    prepare();
    await (await start()).stop();
    const file = join(dir, 'postgres', 'postmaster.pid');
    writeFileSync(file, `${process.ppid}\n${join(dir, 'postgres')}\n1\n1\n\n127.0.0.1\n\nready   \n`);
    await putRow((await start()).url);
    expect(isRunning(process.ppid)).toBe(true);
  });

  it.each(['', '\n', 'no number\n'])('is not held up by a postmaster.pid that holds %j', async (damaged) => {
    prepare();
    writeFileSync(join(dir, 'postgres', 'postmaster.pid'), damaged);
    const { url } = await start();
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(lines).toEqual([expect.stringMatching(/^Removing a damaged postmaster\.pid/)]);
  });

  it('starts over after a preparation that was cut short', async () => {
    mkdirSync(dir);
    chmodSync(dir, 0o711);
    mkdirSync(join(dir, 'postgres.new-abcdef'));
    writeFileSync(join(dir, 'postgres.new-abcdef', 'PG_VERSION'), '18');
    writeFileSync(join(dir, 'postgres-password'), 'of the first try', { mode: 0o600 });
    await putRow((await start()).url);
    expect(readdirSync(dir)).not.toContain('postgres.new-abcdef');
  });

  it('goes down with a process that exits without stopping it', async () => {
    prepare();
    const { owner } = await startOwner("process.stdin.once('data', () => process.exit(3))");
    const pid = postmaster();
    processes.push(pid);
    owner.stdin.write('now\n');
    await once(owner, 'exit');
    await until(() => Promise.resolve(!isRunning(pid)));
  });

  it('passes on what PostgreSQL says when it does not start', async () => {
    prepare();
    await (await start()).stop();
    writeFileSync(join(dir, 'postgres', 'PG_VERSION'), '9\n');
    await expect(start()).rejects.toThrow(/does not start[^]*initialized by PostgreSQL version 9/);
    writeFileSync(join(dir, 'postgres', 'PG_VERSION'), '18\n');
    await putRow((await start()).url);
  });

  // macOS has no such device.
  (existsSync('/dev/full') ? it : it.skip)(
    'says what to do when its disk is full, and starts once there is space',
    async () => {
      prepare();
      await (await start()).stop();
      const options = join(dir, 'postgres', 'postmaster.opts');
      rmSync(options);
      symlinkSync('/dev/full', options);
      await expect(start()).rejects.toThrow(
        /a disk full; free some space .* again: .*postmaster\.opts.*No space/,
      );
      rmSync(options);
      await putRow((await start()).url);
    },
  );

  it(`below a folder that only its owner may enter is ${isRoot ? 'refused to root with what to do' : 'its own'}`, async () => {
    mkdirSync(dir, { mode: 0o700 });
    const inside = join(dir, 'data');
    // Whoever is not root runs PostgreSQL under the own name, which may enter.
    if (!isRoot) return putRow((await start(inside)).url);
    await expect(start(inside)).rejects.toThrow(
      new RegExp(`can't enter ${dir}, which is on the way to ${inside}; set DATA_DIR .* or set DATABASE_URL`),
    );
  });
});

describe('a program that reads the data beside the service', () => {
  it('finds the running PostgreSQL, and none before and after', async () => {
    prepare();
    expect(runningEmbeddedPostgres(dir)).toBeNull();
    const postgres = await start();
    const { url, serviceUrl } = postgres;
    expect(runningEmbeddedPostgres(dir)).toEqual({ url, serviceUrl });
    await putRow(postgres.url);
    expect(await rows(runningEmbeddedPostgres(dir)!.url)).toEqual([{ answer: 42 }]);
    await postgres.stop();
    expect(runningEmbeddedPostgres(dir)).toBeNull();
  });
});

describe('a data folder that was copied from elsewhere', () => {
  let password: string;
  const startAndStop = async () => (await startEmbeddedPostgres(dir, () => undefined)).stop();

  beforeEach(() => {
    password = join(dir, 'postgres-password');
    prepare();
  });

  it('is taken as it is when all of it came along', async () => {
    await startAndStop();
  });

  it('is refused with what to do when the password of its owner was left behind', async () => {
    rmSync(password);
    await expect(startAndStop()).rejects.toThrow(
      `DATA_DIR: ${password} is missing or empty; restore the one that was beside`,
    );
    writeFileSync(password, '');
    await expect(startAndStop()).rejects.toThrow(
      `DATA_DIR: ${password} is missing or empty; restore the one that was beside`,
    );
  });

  it('is refused with what to do when it has the password of another', async () => {
    writeFileSync(password, 'of another database');
    await expect(startAndStop()).rejects.toThrow(
      `DATA_DIR: ${password} is not the password of this database; restore`,
    );
  });

  (isRoot ? it : it.skip)('is refused to root with what to do when it belongs to root', async () => {
    execFileSync('chown', ['-R', 'root', join(dir, 'postgres')]);
    const cluster = join(dir, 'postgres');
    await expect(startAndStop()).rejects.toThrow(
      `DATA_DIR: ${cluster} belongs to root, and PostgreSQL can't run as root; give it to the user that shall run it, ` +
        `e.g. chown -R postgres '${cluster}'`,
    );
  });

  (isRoot ? it : it.skip)('is refused to an ordinary user with what to do when it belongs to another', () => {
    const module = new URL('../../src/platform/database/embedded/cluster.ts', import.meta.url).href;
    const cluster = join(dir, 'postgres');
    const code = `import { refuseUnusable } from ${JSON.stringify(module)};
      process.setuid(65534);
      try { refuseUnusable(${JSON.stringify(cluster)}); } catch (error) { console.log(error.message); }`;
    const said = execFileSync(process.execPath, ['--input-type=module', '--eval', code], {
      encoding: 'utf8',
    });
    expect(said.trim()).toBe(
      `DATA_DIR: ${cluster} belongs to another user; run the service as that one, or have root do chown -R 65534 '${cluster}'`,
    );
  });
});
