import { randomBytes } from 'node:crypto';

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
