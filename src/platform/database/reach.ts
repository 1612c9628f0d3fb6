import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { probeConfig, requireSession } from './pooler.js';

const VERSION_MIN = 150_000;
/** Wait for a starting database, and pause between tries, in milliseconds. */
const WAIT_MS_MAX = 30_000;
const RETRY_MS = 500;

/** Waits until a usable PostgreSQL answers. Throws an Error of one line, without the password. */
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

/** A starting server: no address yet, nothing listens, or 57P03. */
function mayBeStarting(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException;
  return (
    ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', '57P03'].includes(code ?? '') ||
    message === 'Connection terminated unexpectedly'
  );
}

export function unusable(setting: string, url: string, error: unknown): Error {
  return new Error(`${setting}: the database at ${whereIs(url)} can't be used: ${reasonOf(error)}`, {
    cause: error,
  });
}

export function takesNoChanges(url: string, reason: string): string {
  return (
    `DATABASE_URL: the database at ${whereIs(url)} takes no changes: ${reason}. Payments are refused and ` +
    '/health/ready is 503 until it does; if it is a standby, name the address of the primary.'
  );
}

export function whereIs(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host || 'the default host'}${pathname}`;
}

export function reasonOf(error: unknown): string {
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
