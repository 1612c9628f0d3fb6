import type { FastifyReply } from 'fastify';
import { ApiHeader } from '@nestjs/swagger';
import { validationError } from '../../../kernel/errors.js';

/** How the header is described that `showVersion` sends. */
export const VERSION_HEADER = {
  ETag: {
    description: 'The version of the wallet, for `If-Match` of a change.',
    schema: { type: 'string', examples: ['"3"'] },
  },
} as const;

/** Sends the version of what is answered as its `ETag`. */
export function showVersion({ version }: { readonly version: number }, reply: FastifyReply): void {
  void reply.header('etag', `"${version}"`);
}

/** The route takes a version in `If-Match`. */
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
 * The version that a change is meant for: by `If-Match` or in the body; null when by neither, or for `*`.
 * Throws `VALIDATION_ERROR` for what is no version, and for two that differ.
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
