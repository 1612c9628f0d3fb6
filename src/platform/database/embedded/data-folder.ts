import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { firstInaccessible, isRoot, runAs } from './process.ts';

const DEFAULT_DATA_DIR = '.data';
/** For checkouts that PostgreSQL's user cannot enter. */
const OUTSIDE = '/var/lib/agent-payment-wallet';

export interface DataFolder {
  readonly dir: string;
  readonly notice?: string;
}

/**
 * Resolves `DATA_DIR` and creates it. The default is `.data`, or a lasting folder outside if PostgreSQL's
 * user cannot enter it. Throws an Error for an unusable chosen one.
 */
export function dataFolder(configured: string = DEFAULT_DATA_DIR): DataFolder {
  const dir = resolve(configured);
  const here = dirname(dir);
  if (configured !== DEFAULT_DATA_DIR || !isRoot()) {
    prepare(dir);
    refuseObstacle(dir);
    return { dir };
  }
  const obstacle = firstInaccessible(here, runAs(join(dir, 'postgres')));
  if (obstacle === undefined) {
    prepare(dir);
    refuseObstacle(dir);
    return { dir };
  }
  if (fs.existsSync(join(dir, 'postgres'))) refuseObstacle(dir);
  const place = createHash('sha256').update(fs.realpathSync(here)).digest('hex').slice(0, 12);
  const outside = join(OUTSIDE, place);
  prepare(outside);
  refuseObstacle(outside);
  return {
    dir: outside,
    notice: `The database is kept in ${outside}: PostgreSQL can't run as root, and its user can't enter ${obstacle}.`,
  };
}

/** Creates missing folders; returns the first. Node's `recursive` never ends below /proc. */
function makeFolder(dir: string): string | undefined {
  if (fs.existsSync(dir)) return undefined;
  const first = makeFolder(dirname(dir));
  try {
    fs.mkdirSync(dir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !fs.existsSync(dir)) throw error;
  }
  return first ?? dir;
}

function prepare(dir: string): void {
  try {
    const made = makeFolder(dir);
    // PostgreSQL's user must be able to pass through.
    if (made && isRoot()) {
      for (let each = dir; each.length >= made.length; each = dirname(each)) fs.chmodSync(each, 0o711);
    }
    if (!fs.statSync(dir).isDirectory()) throw new Error('it is no folder');
    fs.accessSync(dir, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = REASONS[code ?? ''] ?? message;
    throw new Error(
      `DATA_DIR: ${dir} can't be used, ${why}; set it to a folder of your own, or set DATABASE_URL`,
      {
        cause,
      },
    );
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'it is on a read-only file system',
  ENOENT: 'no folder can be made there',
  EEXIST: 'it is no folder',
  ENOTDIR: 'something on the way to it is no folder',
};

function refuseObstacle(dir: string): void {
  const as = runAs(join(dir, 'postgres'));
  const obstacle = firstInaccessible(dir, as);
  if (obstacle === undefined) return;
  throw new Error(
    `DATA_DIR: PostgreSQL can't run as root, and the user it runs as (${as.uid}) can't enter ${obstacle}, which is on ` +
      `the way to ${dir}; set DATA_DIR to a folder that every user can reach, or set DATABASE_URL`,
  );
}
