import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import type { Programs } from './binaries.ts';
import { ENVIRONMENT, type RunAs } from './process.ts';

/** Owns the database and runs migrations. */
const OWNER = 'wallet';
/** The service's role, with few rights. */
const SERVICE = 'wallet_service';

const OWNER_PASSWORD = 'postgres-password';
const SERVICE_PASSWORD = 'postgres-service-password';
const WRONG_PASSWORD = '28P01';
const CONNECT_MS_MAX = 10_000;

/** Made under another name, then moved: there is never half a cluster. */
export async function makeCluster(cluster: string, { initdb }: Programs, as: RunAs): Promise<void> {
  const dir = dirname(cluster);
  for (const name of fs.readdirSync(dir)) {
    if (name.startsWith(`${basename(cluster)}.new-`))
      fs.rmSync(join(dir, name), { recursive: true, maxRetries: 5 });
  }
  const passwordFile = join(dir, OWNER_PASSWORD);
  fs.rmSync(passwordFile, { force: true });
  newPassword(passwordFile);
  const fresh = fs.mkdtempSync(`${cluster}.new-`);
  if ('uid' in as) {
    fs.chownSync(passwordFile, as.uid, as.gid);
    fs.chownSync(fresh, as.uid, as.gid);
  }
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const login = [`--username=${OWNER}`, '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
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

/** Throws an Error that says what to do if the cluster is unusable for this user. */
export function refuseUnusable(cluster: string): void {
  const { uid } = fs.statSync(cluster);
  const me = process.getuid?.();
  const giveAway = (user: string): string => `chown -R ${user} '${cluster}'`;
  if (me === 0 && uid === 0) {
    throw new Error(
      `DATA_DIR: ${cluster} belongs to root, and PostgreSQL can't run as root; give it to the user that shall run ` +
        `it, e.g. ${giveAway('postgres')}`,
    );
  }
  if (me !== undefined && me !== 0 && uid !== me) {
    throw new Error(
      `DATA_DIR: ${cluster} belongs to another user; run the service as that one, or have root do ` +
        giveAway(String(me)),
    );
  }
  const file = join(dirname(cluster), OWNER_PASSWORD);
  let password = '';
  try {
    password = fs.readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      throw unusablePassword(file, "can't be read", error);
  }
  if (!password) throw unusablePassword(file, 'is missing or empty');
}

function unusablePassword(file: string, what: string, cause?: unknown): Error {
  const message = `DATA_DIR: ${file} ${what}; restore the one that was beside the folder postgres`;
  return new Error(message, { cause });
}

function newPassword(file: string): void {
  const text = `${randomBytes(24).toString('base64url')}\n`;
  fs.writeFileSync(file, text, { flag: 'wx', mode: 0o600, flush: true });
}

/** URLs of owner and service on `port`. */
export interface Urls {
  readonly url: string;
  readonly serviceUrl: string;
}

export function urlsOn(dir: string, port: number, database = OWNER): Urls {
  const url = (role: string, file: string): string => {
    const password = fs.readFileSync(join(dir, file), 'utf8').trim();
    return `postgresql://${role}:${password}@127.0.0.1:${port}/${database}`;
  };
  return { url: url(OWNER, OWNER_PASSWORD), serviceUrl: url(SERVICE, SERVICE_PASSWORD) };
}

export function ensureServicePassword(dir: string): void {
  const file = join(dir, SERVICE_PASSWORD);
  if (!fs.existsSync(file)) newPassword(file);
}

/** Creates what is missing; rights are set by migrations. */
export async function ensureDatabase(dir: string, port: number): Promise<void> {
  const password = fs.readFileSync(join(dir, SERVICE_PASSWORD), 'utf8').trim();
  const { url } = urlsOn(dir, port, 'postgres');
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS_MAX });
  // A lost connection fails its statement.
  client.on('error', () => undefined);
  await client.connect().catch((error: unknown) => {
    if ((error as { code?: string }).code !== WRONG_PASSWORD) throw error;
    throw unusablePassword(join(dir, OWNER_PASSWORD), 'is not the password of this database', error);
  });
  try {
    const found = async (text: string, name: string) => (await client.query(text, [name])).rowCount === 1;
    if (!(await found('SELECT FROM pg_database WHERE datname = $1', OWNER)))
      await client.query(`CREATE DATABASE ${OWNER}`);
    const verb = (await found('SELECT FROM pg_roles WHERE rolname = $1', SERVICE)) ? 'ALTER' : 'CREATE';
    await client.query(
      `${verb} ROLE ${SERVICE} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD ${client.escapeLiteral(password)}`,
    );
  } finally {
    await client.end();
  }
}

/** Lines as in PostgreSQL's miscadmin.h. */
export function readPidFile(
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
