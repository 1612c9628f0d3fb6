import type { FastifyReply } from 'fastify';
import { ApiHeader } from '@nestjs/swagger';
import { validationError } from '../../../kernel/errors.js';

export const VERSION_HEADER = {
  ETag: {
    description: 'The version of the wallet, for `If-Match` of a change.',
    schema: { type: 'string', examples: ['"3"'] },
  },
} as const;

export function showVersion({ version }: { readonly version: number }, reply: FastifyReply): void {
  void reply.header('etag', `"${version}"`);
}

export const TakesVersion = () =>
  ApiHeader({
    name: 'If-Match',
    required: false,
    description:
      'The `ETag` that the change is meant for; `version` in the body says the same. Without either the change is ' +
      'made whatever the version is.',
    schema: { type: 'string', pattern: '^(\\*|(W/)?"[1-9][0-9]*")$', examples: ['"3"'] },
  });

/**
 * Version from `If-Match` or the body; null if absent or `*`. Throws `VALIDATION_ERROR` if invalid or
 * contradictory.
 */
export function expectedVersion(ifMatch: string | undefined, inBody: number | null): number | null {
  if (ifMatch === undefined || ifMatch.trim() === '*') return inBody;
  const version = Number(/^(?:W\/)?"?([1-9]\d{0,9})"?$/.exec(ifMatch.trim())?.[1]);
  if (Number.isNaN(version)) {
    throw validationError({ field: 'If-Match', message: 'must be an ETag of the wallet, such as "3"' });
  }
  if (inBody !== null && inBody !== version) {
    throw validationError({ field: 'version', message: 'must be the version of If-Match' });
  }
  return version;
}
