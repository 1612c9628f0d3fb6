import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Programs } from './binaries.ts';
import { readPidFile } from './cluster.ts';
import { ENVIRONMENT, inspectProcess, type RunAs } from './process.ts';

const START_MS_MAX = 5 * 60_000;
const LEFTOVERS_MS_MAX = 30_000;
/** A fast shutdown writes a checkpoint. */
const FAST_STOP_MS_MAX = 60_000;
const IMMEDIATE_STOP_MS_MAX = 10_000;
const LOG_BYTES_MAX = 1_000_000;
const PORTS_TRIED_MAX = 4;

/** On the command line, so that releases can change them for existing folders. */
const SETTINGS = Object.entries({
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: 100,
  fsync: 'on',
  wal_level: 'replica',
  shared_buffers: '256MB',
  max_wal_size: '4GB',
  checkpoint_timeout: '15min',
  autovacuum_naptime: '15s',
  autovacuum_vacuum_scale_factor: 0.05,
  autovacuum_analyze_scale_factor: 0.05,
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // LOG ranks above ERROR: start and recovery are logged, refused statements are not.
  log_min_messages: 'log',
  log_checkpoints: 'off',
}).flatMap(([name, value]) => ['-c', `${name}=${value}`]);

export interface Server {
  readonly pid: number;
  readonly port: number;
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

export interface PostgresOptions {
  readonly cluster: string;
  readonly programs: Programs;
  readonly as: RunAs;
  /** Absent: a free one. */
  readonly port?: number;
  readonly report: (line: string) => void;
}

/**
 * Starts PostgreSQL and waits for connections, with retries. The caller owns the folder. Throws PostgreSQL's
 * own words.
 */
export async function startServer(options: PostgresOptions): Promise<Server> {
  const { cluster, programs, as, report } = options;
  const leftoversUntil = performance.now() + LEFTOVERS_MS_MAX;
  const logFile = `${cluster}.log`;
  for (let portsTried = 1; ;) {
    await clearLeftovers(cluster, report);
    const port = options.port ?? (await freePort());
    const large = (fs.statSync(logFile, { throwIfNoEntry: false })?.size ?? 0) > LOG_BYTES_MAX;
    const log = fs.openSync(logFile, large ? 'w' : 'a', 0o600);
    const { size: logStart } = fs.fstatSync(log);
    const child = spawn(programs.postgres, ['-D', cluster, '-p', String(port), ...SETTINGS], {
      ...as,
      cwd: '/',
      env: ENVIRONMENT,
      detached: true,
      // A file: PostgreSQL may outlive the service.
      stdio: ['ignore', log, log],
    });
    fs.closeSync(log);
    child.unref();
    let failure: Error | undefined;
    const ended = new Promise<string>((resolve) => {
      child.once('error', (error) => {
        failure = error;
        resolve(error.message);
      });
      child.once('exit', (code, signal) => resolve(String(signal ?? code ?? 'unknown')));
    });
    const { pid = 0 } = child;
    const gone = (): boolean => Boolean(failure) || child.exitCode !== null || child.signalCode !== null;
    const isReady = (): boolean => {
      const file = readPidFile(cluster);
      return file?.pid === pid && file.ready;
    };
    const slow = setTimeout(() => report('PostgreSQL is recovering from an unclean stop…'), 5_000);
    const giveUp = performance.now() + START_MS_MAX;
    while (!gone() && !isReady() && performance.now() < giveUp) await sleep(20);
    clearTimeout(slow);
    if (!gone() && isReady()) return { pid, port, ended, stop: () => stopProcess(pid, gone) };
    if (!gone()) await stopProcess(pid, gone);
    const said = lastLines(logFile, logStart);
    const full = /^.*No space left on device.*$/m.exec(said);
    if (full)
      throw new Error(`PostgreSQL finds a disk full; free some space there and start again: ${full[0]}`);
    const isLeftover = /pre-existing shared memory block|postmaster\.pid" already exists/.test(said);
    const isPortTaken = /could not create any TCP\/IP sockets/.test(said);
    if (isLeftover && performance.now() < leftoversUntil) await sleep(200);
    else if (isPortTaken && !options.port && portsTried < PORTS_TRIED_MAX) portsTried++;
    else throw new Error(`PostgreSQL does not start in ${cluster}: ${failure?.message ?? said}`);
  }
}

/** Ends the PostgreSQL of a killed owner. The caller owns the folder. */
async function clearLeftovers(cluster: string, report: (line: string) => void): Promise<void> {
  const left = readPidFile(cluster);
  if (left && !left.pid) {
    // PostgreSQL would wait for a person to remove it.
    report('Removing a damaged postmaster.pid, as a crash or a full disk can leave it…');
    fs.rmSync(`${cluster}/postmaster.pid`);
  }
  const found = left && inspectProcess(left.pid);
  if (left && found?.command.includes(` -D ${left.folder} `)) {
    report(`Stopping the PostgreSQL that an earlier run left behind (process ${left.pid})…`);
    await stopProcess(left.pid, () => inspectProcess(left.pid)?.startedAt !== found.startedAt);
  } else if (found) {
    // Another process has the number now. Live backends are found by their shared memory.
    fs.rmSync(`${cluster}/postmaster.pid`);
  }
  for (const pid of strayBackends(cluster)) {
    try {
      process.kill(pid, 'SIGQUIT');
    } catch {
      // Gone meanwhile; otherwise the start reports it.
    }
  }
}

/** Backends of a killed postmaster; one in a long query keeps the folder locked. Linux only. */
function strayBackends(cluster: string): number[] {
  const isStray = (pid: number): boolean => {
    try {
      return (
        fs.readlinkSync(`/proc/${pid}/cwd`) === cluster &&
        inspectProcess(pid)?.command.startsWith('postgres: ') === true
      );
    } catch {
      return false;
    }
  };
  return fs.existsSync('/proc') ? fs.readdirSync('/proc').map(Number).filter(isStray) : [];
}

/** Fast shutdown, then an immediate one. */
async function stopProcess(pid: number, gone: () => boolean): Promise<void> {
  for (const [signal, msMax] of [
    ['SIGINT', FAST_STOP_MS_MAX],
    ['SIGQUIT', IMMEDIATE_STOP_MS_MAX],
  ] as const) {
    if (gone()) return;
    try {
      process.kill(pid, signal);
    } catch (error) {
      if (!gone()) throw error;
    }
    const giveUp = performance.now() + msMax;
    while (!gone() && performance.now() < giveUp) await sleep(20);
  }
  if (!gone()) throw new Error(`PostgreSQL (process ${pid}) does not stop`);
}

/** Omits refusals made while starting. */
function lastLines(file: string, from: number): string {
  const refusal = /not yet accepting connections|Consistent recovery state has not been yet reached/;
  const text = fs.readFileSync(file).subarray(from).toString().trim();
  const lines = text.split('\n').filter((line) => !refusal.test(line));
  return lines.slice(-15).join('\n');
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((done, fail) => server.once('listening', done).once('error', fail));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}
