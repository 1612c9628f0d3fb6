/** Node strips the types of the files here: erasable syntax only. */
import { execFileSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const FOLDERS = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/local/sbin'].filter(Boolean);
const POSTGRES_VERSION_MIN = 15;
const POSTGRES_FOLDER = '/usr/lib/postgresql';

export interface Programs {
  readonly etcd: string;
  readonly patroni: string;
  readonly haproxy: string;
  /** Folder of PostgreSQL's programs. */
  readonly postgres: string;
}

/** The user that runs the databases: PostgreSQL refuses to run as root. */
export interface RunAs {
  readonly uid?: number;
  readonly gid?: number;
}

/** Throws an Error that says what to install. */
export function findPrograms(): Programs {
  if (process.platform !== 'linux')
    throw new Error('The cluster runs on Linux only: Patroni comes with Debian.');
  const programs = {
    etcd: find('etcd'),
    patroni: find('patroni'),
    haproxy: find('haproxy'),
    postgres: findPostgres(),
  };
  const packages = {
    etcd: 'etcd-server',
    patroni: 'patroni',
    haproxy: 'haproxy',
    postgres: `postgresql-${POSTGRES_VERSION_MIN}`,
  };
  const missing = (Object.keys(packages) as (keyof Programs)[]).filter((name) => !programs[name]);
  if (missing.length > 0)
    throw new Error(
      `Not found: ${missing.join(', ')}. Install on Debian 12, as root: ` +
        `apt-get install -y --no-install-recommends ${missing.map((name) => packages[name]).join(' ')}`,
    );
  return programs as Programs;
}

function find(name: string): string | undefined {
  return FOLDERS.map((folder) => join(folder, name)).find(isExecutable);
}

function findPostgres(): string | undefined {
  if (!existsSync(POSTGRES_FOLDER)) return undefined;
  return readdirSync(POSTGRES_FOLDER)
    .map(Number)
    .filter((version) => version >= POSTGRES_VERSION_MIN)
    .sort((one, other) => other - one)
    .map((version) => join(POSTGRES_FOLDER, String(version), 'bin'))
    .find((folder) => isExecutable(join(folder, 'postgres')));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export function databaseUser(): RunAs {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
