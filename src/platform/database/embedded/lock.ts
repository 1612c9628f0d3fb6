import * as fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspectProcess } from './process.ts';

const CLAIM = 'postgres-owner.';

export function claimsOn(dir: string): { name: string; pid: number; alive: boolean }[] {
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
 * Claims `dir` and returns how to release it. Throws an Error that names a live owner. Each process writes a
 * claim, then looks for others.
 */
export async function lockDataDir(dir: string): Promise<() => void> {
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
