import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { probeConfig, requireSession } from './pooler.js';

const VERSION_MIN = 150_000;
/** How long a database that may be starting up is waited for, and how often it is tried meanwhile, in milliseconds. */
const WAIT_MS_MAX = 30_000;
const RETRY_MS = 500;

/**
 * Makes sure that a PostgreSQL the service can work with answers at `url`, and keeps sessions. Waits for one that may
 * still be starting up, `waitMsMax` at most; `report` gets one line that says so. Throws an Error of one line that names the setting
 * it came from, says where it was looked for, and never repeats the password.
 */
export async function reachDatabase(
  setting: string,
  url: string,
  report: (line: string) => void,
  waitMsMax = WAIT_MS_MAX,
): Promise<void> {
  const waitEnd = performance.now() + waitMsMax;
  for (let isFirst = true; ; isFirst = false) {
    try {
      await tryDatabase(url);
      return;
    } catch (error) {
      if (!mayBeStarting(error) || performance.now() + RETRY_MS > waitEnd)
        throw unusable(setting, url, error);
      if (isFirst)
        report(
          `${setting}: the database at ${whereIs(url)} does not answer yet: ${reasonOf(error)}; ` +
            `waiting for it, ${waitMsMax / 1_000} s at most…`,
        );
    }
    await sleep(RETRY_MS);
  }
}

async function tryDatabase(url: string): Promise<void> {
  const client = new pg.Client(probeConfig(url));
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ number: number; name: string }>(
      `SELECT current_setting('server_version_num')::integer AS number, current_setting('server_version') AS name`,
    );
    const [version] = rows;
    if (!version || version.number < VERSION_MIN)
      throw new Error(`this is PostgreSQL ${version?.name ?? ''}: PostgreSQL 15 or newer is required`);
    await requireSession(client, url);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * Whether a PostgreSQL that starts up, or is started again, answers like this: its name has no address yet, as in Docker
 * and Kubernetes before its container runs, nothing listens yet, it takes no connections yet (57P03), or what stands
 * before a container closes them.
 */
function mayBeStarting(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException;
  return (
    ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', '57P03'].includes(code ?? '') ||
    message === 'Connection terminated unexpectedly'
  );
}

/** An Error of one line: which setting, where that leads, and why it can't be used. */
export function unusable(setting: string, url: string, error: unknown): Error {
  return new Error(`${setting}: the database at ${whereIs(url)} can't be used: ${reasonOf(error)}`, {
    cause: error,
  });
}

/** Without the user and the password. */
export function whereIs(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host || 'the default host'}${pathname}`;
}

function reasonOf(error: unknown): string {
  const { code, message, errors } = error as NodeJS.ErrnoException & { errors?: Error[] };
  switch (code) {
    case 'ECONNREFUSED':
      return 'nothing listens there';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'there is no such host';
    case '28P01':
    case '28000':
    case '3D000':
      return message;
    default:
      return message || errors?.[0]?.message || code || String(error);
  }
}
