import { randomBytes } from 'node:crypto';

export const URL_LENGTH_MAX = 2_048;

const DATABASE_PORTS: ReadonlySet<number> = new Set([
  1433, 1521, 2379, 3306, 5432, 5433, 5984, 6379, 6380, 7000, 7474, 8086, 8123, 9000, 9042, 9200, 9300, 11211,
  27017, 27018, 28015, 33060,
]);

/** Reason why `url` is not allowed, whatever its name resolves to; null if it is. */
export function urlProblem(text: string, isProduction: boolean): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url) return 'must be an absolute URL';
  // As sent: non-ASCII characters grow when encoded.
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

/** Encrypted signing secret; `expiresAt` in ISO 8601. */
export interface SealedSecret {
  readonly sealed: string;
  readonly expiresAt: string | null;
}

export const ACTIVE_SECRETS_MAX = 5;

/** 32 random bytes in the form of Standard Webhooks. */
export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** Secrets that sign at `now`, newest first. */
export function activeSecrets(secrets: readonly SealedSecret[], now: Date): SealedSecret[] {
  return secrets.filter(({ expiresAt }) => expiresAt === null || Date.parse(expiresAt) > now.getTime());
}

/** Secrets after a rotation to `sealed`. Old ones sign until `oldSignUntil` at most; null revokes them. */
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
