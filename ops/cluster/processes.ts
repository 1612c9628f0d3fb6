import { spawn } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  openSync,
  closeSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunAs } from './programs.ts';

const END_MS_MAX = 10_000;
const END_POLL_MS = 50;

interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly as?: RunAs;
}

/** The processes of one cluster: each with a file of its pid and one of what it prints, below the cluster's folder. */
export class Processes {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  makeFolders({ uid, gid }: RunAs): void {
    for (const folder of [this.folder, this.pids, this.logs])
      mkdirSync(folder, { recursive: true, mode: 0o755 });
    if (uid !== undefined && gid !== undefined) chownSync(this.folder, uid, gid);
  }

  private get pids(): string {
    return join(this.folder, 'run');
  }

  private get logs(): string {
    return join(this.folder, 'log');
  }

  logOf(name: string): string {
    return join(this.logs, `${name}.log`);
  }

  /** Goes on when this process ends. */
  start(name: string, { program, args, env, as = {} }: Command): void {
    const log = openSync(this.logOf(name), 'a');
    const child = spawn(program, args, {
      cwd: '/',
      detached: true,
      stdio: ['ignore', log, log],
      env: { PATH: process.env.PATH ?? '', LANG: 'C.UTF-8', HOME: this.folder, ...env },
      ...as,
    });
    closeSync(log);
    child.on('error', () => undefined);
    child.unref();
    if (child.pid === undefined) throw new Error(`${program} can't be started`);
    writeFileSync(join(this.pids, name), String(child.pid));
  }

  /** 0 if it does not run. */
  pidOf(name: string): number {
    const pid = numberIn(join(this.pids, name));
    return pid > 0 && this.isOurs(pid) ? pid : 0;
  }

  /** Those of the PostgreSQL with its data in the folder `data`: the postmaster first. */
  postgresPids(data: string): number[] {
    const postmaster = numberIn(join(this.folder, data, 'postmaster.pid'));
    return postmaster > 0 && this.isOurs(postmaster) ? [postmaster, ...childrenOf(postmaster)] : [];
  }

  get names(): string[] {
    return existsSync(this.pids) ? readdirSync(this.pids) : [];
  }

  /** A pid may have been given to another process since: ours name the folder. */
  private isOurs(pid: number): boolean {
    try {
      if (stateOf(pid) === 'Z') return false;
      const read = (file: string): string => readFileSync(`/proc/${pid}/${file}`, 'utf8');
      return read('cmdline').includes(this.folder) || read('environ').includes(this.folder);
    } catch {
      return false;
    }
  }

  /** Every process of the cluster, those first that would start others again. */
  all(): number[] {
    const named = this.names.map((name) => this.pidOf(name)).filter(Boolean);
    const databases = existsSync(this.folder)
      ? readdirSync(this.folder).flatMap((data) => this.postgresPids(data))
      : [];
    return [...named, ...databases];
  }

  /** Does not wait for their end: for a process that is about to end itself. */
  killAllAtOnce(): void {
    // A second time, for what was started meanwhile.
    for (let round = 0; round < 2; round += 1) signalAll(this.all(), 'SIGKILL');
  }

  async killAll(): Promise<void> {
    const giveUp = performance.now() + END_MS_MAX;
    for (let left = this.all(); left.length > 0; left = this.all()) {
      if (performance.now() > giveUp) throw new Error(`these processes do not end: ${left.join(', ')}`);
      signalAll(left, 'SIGKILL');
      await sleep(END_POLL_MS);
    }
  }
}

export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It had ended by itself.
    }
  }
}

function numberIn(file: string): number {
  try {
    return Number.parseInt(readFileSync(file, 'utf8'), 10) || 0;
  } catch {
    return 0;
  }
}

/** The third field; the second may hold blanks. */
function stateOf(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3);
}

function childrenOf(parent: number): number[] {
  try {
    const children = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8');
    return children.split(' ').map(Number).filter(Boolean);
  } catch {
    return [];
  }
}
