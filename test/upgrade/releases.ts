import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileService } from '../support/compile.ts';
import { ROOT } from '../support/server-process.ts';

const git = (...args: string[]): string =>
  execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();

/** The newest tag `v…` of the history, else the commit that gave the changelog its newest release. */
export function lastRelease(): string {
  try {
    return git('describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*');
  } catch {
    const [heading] = /^## \d+\.\d+\.\d+/m.exec(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8')) ?? [];
    const commit = heading && git('log', '--format=%H', '-1', `-S${heading}`, '--', 'CHANGELOG.md');
    if (!commit) throw new Error('The last release is not in the history: fetch it, or name it with --from');
    return commit;
  }
}

export interface Build {
  readonly name: string;
  /** Holds the built service in `dist/`. */
  readonly checkout: string;
}

type Packages = Readonly<Record<string, string>>;

const packagesOf = (checkout: string): Packages =>
  (JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as { dependencies: Packages })
    .dependencies;

/** A build of `ref` in a work tree of its own below `folder`, which `end` removes. */
export function buildRelease(ref: string, folder: string): Build & { end: () => void } {
  const checkout = join(folder, 'old');
  const name = `${ref.slice(0, 12)} (${git('log', '-1', '--format=%cs', ref)})`;
  git('worktree', 'add', '--detach', '--quiet', checkout, ref);
  const end = (): void => void git('worktree', 'remove', '--force', checkout);
  try {
    const here = packagesOf(ROOT);
    const isSame = Object.entries(packagesOf(checkout)).every(([name, version]) => here[name] === version);
    if (!isSame)
      execFileSync('npm', ['ci', '--omit=dev'], { cwd: checkout, stdio: ['ignore', 'ignore', 'inherit'] });
    compileService(checkout, join(checkout, 'dist'), join(isSame ? ROOT : checkout, 'node_modules'));
    return { name, checkout, end };
  } catch (error) {
    end();
    throw error;
  }
}

/** A build of the sources that are here. */
export function buildHere(folder: string): Build {
  const checkout = join(folder, 'new');
  const flags = 'scripts/v8-flags.mjs';
  cpSync(join(ROOT, flags), join(checkout, flags));
  compileService(ROOT, join(checkout, 'dist'), join(ROOT, 'node_modules'));
  return { name: 'this checkout', checkout };
}
