import pg from 'pg';
import { probeConfig, requireSession } from './pooler.js';
import { unusable, whereIs } from './reach.js';

/**
 * Throws an Error if the URLs name different databases or keep no session. False if the service's role cannot
 * log in yet.
 */
export async function requireSameDatabase(
  ownerUrl: string,
  serviceUrl: string,
  ownersLock: number,
): Promise<boolean> {
  if (serviceUrl === ownerUrl) return true;
  const client = new pg.Client(probeConfig(serviceUrl));
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch {
    await client.end().catch(() => undefined);
    return false;
  }
  try {
    const { rows } = await client.query<{ isFree: boolean }>(
      'SELECT pg_try_advisory_xact_lock($1) AS "isFree"',
      [ownersLock],
    );
    if (rows[0]?.isFree) {
      throw new Error(
        `DATABASE_OWNER_URL and DATABASE_URL name different databases: ${whereIs(ownerUrl)} and ` +
          `${whereIs(serviceUrl)}; set them to the same one`,
      );
    }
    await requireSession(client, serviceUrl).catch((error: unknown) => {
      throw unusable('DATABASE_URL', serviceUrl, error);
    });
    return true;
  } finally {
    await client.end().catch(() => undefined);
  }
}
