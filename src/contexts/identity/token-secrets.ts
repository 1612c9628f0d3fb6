import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { Masters } from '../../platform/security/masters.js';

/** Key objects: text would first be tried as a public key, for each token. */
export class TokenSecrets {
  readonly newest: KeyObject;
  private readonly older: readonly KeyObject[];

  constructor([newest, ...older]: Masters) {
    this.newest = createSecretKey(newest, 'utf8');
    this.older = older.map((secret) => createSecretKey(secret, 'utf8'));
  }

  /** Returns the secret that signed `token`, else the newest, under which the token is then refused. */
  of(token: string): KeyObject {
    return this.older.find((secret) => isSignedBy(secret, token)) ?? this.newest;
  }
}

function isSignedBy(secret: KeyObject, token: string): boolean {
  const end = token.lastIndexOf('.');
  const wanted = createHmac('sha256', secret)
    .update(token.slice(0, Math.max(end, 0)))
    .digest();
  const given = Buffer.from(token.slice(end + 1), 'base64url');
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
