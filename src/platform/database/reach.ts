import pg from 'pg';

const VERSION_MIN = 150_000;
const CONNECT_MS_MAX = 10_000;

/**
 * Makes sure that a PostgreSQL the service can work with answers at `url`. Throws an Error of one line that names the
 * setting it came from, says where it was looked for, and never repeats the password.
 */
export async function reachDatabase(setting: string, url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS_MAX });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ number: number; name: string }>(
      `SELECT current_setting('server_version_num')::integer AS number, current_setting('server_version') AS name`,
    );
    const [version] = rows;
    if (!version || version.number < VERSION_MIN)
      throw new Error(`this is PostgreSQL ${version?.name ?? ''}, and it takes 15 or newer`);
  } catch (error) {
    throw unusable(setting, url, error);
  } finally {
    await client.end().catch(() => undefined);
  }
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
