import { randomUUID } from 'node:crypto';
import pg from 'pg';

const ANSWER_MS_MAX = 10_000;
/** A pooler may return one session twice by chance. */
const ROUNDS = 5;
const NO_SESSION =
  'a pooler that does not keep sessions stands before it; set the pooler to session mode (pgbouncer: ' +
  'pool_mode = session), or name the address of PostgreSQL itself';

export function probeConfig(url: string): pg.ClientConfig {
  return {
    connectionString: url,
    connectionTimeoutMillis: ANSWER_MS_MAX,
    query_timeout: ANSWER_MS_MAX,
    keepAlive: true,
  };
}

interface Session {
  readonly pid: number;
  readonly marker: string | null;
}

/**
 * Throws an Error behind a pooler in transaction mode, which loses settings, prepared statements and locks.
 */
export async function requireSession(client: pg.Client, url: string): Promise<void> {
  const marker = randomUUID();
  await client.query(`SELECT set_config('agent_payment_wallet.session', $1, false)`, [marker]);
  const ask = async (): Promise<Session | undefined> => {
    const { rows } = await client.query<Session>({
      name: marker,
      text: `SELECT pg_backend_pid() AS pid, current_setting('agent_payment_wallet.session', true) AS marker`,
    });
    return rows[0];
  };
  const other = new pg.Client(probeConfig(url));
  other.on('error', () => undefined);
  try {
    const first = await ask();
    await other.connect();
    // Its open transaction occupies the likeliest session.
    await other.query('BEGIN');
    const { rows } = await other.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    for (let round = 0; round < ROUNDS; round += 1) {
      const again = await ask();
      if (again?.marker !== marker || again.pid !== first?.pid || again.pid === rows[0]?.pid)
        throw new Error(NO_SESSION);
    }
  } catch (error) {
    if (error instanceof pg.DatabaseError && /^(26000|42P05|08P01)$/.test(error.code ?? ''))
      throw new Error(NO_SESSION, { cause: error });
    throw error;
  } finally {
    await other.end().catch(() => undefined);
  }
}
