import type { Config } from '../config.js';

/** Secrets of one purpose, newest first: the first signs and seals, all verify and open. */
export type Masters = readonly [string, ...string[]];

export function sessionMasters(jwtSecret: string, { JWT_SECRET_PREVIOUS }: Config): Masters {
  return [jwtSecret, ...JWT_SECRET_PREVIOUS];
}

/** Those of sessions stay: they sealed while `own` was unset. */
export function sealingMasters(
  own: string | undefined,
  previous: readonly string[],
  [session, ...older]: Masters,
): Masters {
  return own === undefined ? [session, ...previous, ...older] : [own, ...previous, session, ...older];
}
