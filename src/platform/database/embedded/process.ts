/** Other processes, and PostgreSQL's user. Node strips types here: erasable syntax, and `.ts` in imports. */
import { execFileSync, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { dirname } from 'node:path';

/**
 * No secrets, English messages. glibc keeps 8 MiB of freed memory: a twelfth of a payment's time in
 * PostgreSQL.
 */
export const ENVIRONMENT = {
  PATH: process.env.PATH,
  LC_ALL: 'C',
  MALLOC_TRIM_THRESHOLD_: String(8 * 1024 * 1024),
};

export type RunAs = { uid: number; gid: number } | Record<string, never>;

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** Undefined for no process or a zombie. `startedAt` distinguishes processes with one number. */
export function inspectProcess(pid: number): { startedAt: string; command: string } | undefined {
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

/** PostgreSQL refuses root: the folder's owner runs it, `postgres` at first. */
export function runAs(cluster: string): RunAs {
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

/** First part of `path` that PostgreSQL's user cannot enter or run; undefined if none. */
export function firstInaccessible(path: string, as: RunAs): string | undefined {
  if (!('uid' in as)) return undefined;
  const theWay: string[] = [];
  for (let at = path; at !== theWay[0]; at = dirname(at)) theWay.unshift(at);
  const there = theWay.filter((each) => fs.existsSync(each));
  // One process for all checks.
  const script = 'for each do test -x "$each" || { printf %s "$each"; exit 1; }; done';
  const { status, stdout } = spawnSync('sh', ['-c', script, 'sh', ...there], {
    ...as,
    cwd: '/',
    encoding: 'utf8',
  });
  return status === 0 ? undefined : stdout || path;
}
