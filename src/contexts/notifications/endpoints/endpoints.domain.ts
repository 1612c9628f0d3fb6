import { randomBytes } from 'node:crypto';

export const URL_LENGTH_MAX = 2_048;

/** Where well-known databases and caches listen: a POST there is an attempt to reach something that is no receiver. */
const DATABASE_PORTS: ReadonlySet<number> = new Set([
  1433, 1521, 2379, 3306, 5432, 5433, 5984, 6379, 6380, 7000, 7474, 8086, 8123, 9000, 9042, 9200, 9300, 11211,
  27017, 27018, 28015, 33060,
]);

/** Why nothing may be sent to `url`, whatever its name resolves to; null when that is all right. */
export function urlProblem(text: string, isProduction: boolean): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url) return 'must be an absolute URL';
  // As it is sent: a parser writes several characters for one that is not ASCII.
  if (url.href.length > URL_LENGTH_MAX) {
    return `must have at most ${URL_LENGTH_MAX} characters, with those that are not ASCII percent-encoded`;
  }
  if (isProduction && url.protocol !== 'https:') return 'must begin with https://';
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with http:// or https://';
  if (url.username || url.password) return 'must not hold a user name or password';
  const port = url.port === '' ? 443 : Number(url.port);
  if (port < 1_024 && port !== 80 && port !== 443) return 'must use port 80, 443, or one from 1024 up';
  if (isProduction && DATABASE_PORTS.has(port)) return `must not use port ${port}: databases listen there`;
  return null;
}

/** A signing secret as stored: encrypted, with the time from which it signs no more (ISO 8601). */
export interface SealedSecret {
  readonly sealed: string;
  readonly expiresAt: string | null;
}

export const ACTIVE_SECRETS_MAX = 5;

/** A new signing secret: 32 random bytes in the form of Standard Webhooks. */
export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** The secrets that sign at `now`, newest first. */
export function activeSecrets(secrets: readonly SealedSecret[], now: Date): SealedSecret[] {
  return secrets.filter(({ expiresAt }) => expiresAt === null || Date.parse(expiresAt) > now.getTime());
}

/**
 * The secrets after a rotation to `sealed`: those before sign until `oldSignUntil`, or no longer at all when it is
 * null; one that was to end sooner still does.
 */
export function rotated(
  secrets: readonly SealedSecret[],
  sealed: string,
  oldSignUntil: Date | null,
  now: Date,
): SealedSecret[] {
  const until = oldSignUntil?.toISOString() ?? null;
  const old = until === null ? [] : activeSecrets(secrets, now);
  return [
    { sealed, expiresAt: null },
    ...old.map((secret) => ({ sealed: secret.sealed, expiresAt: secret.expiresAt ?? until })),
  ];
}
