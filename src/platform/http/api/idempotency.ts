import { ApiHeader } from '@nestjs/swagger';
import { validationError } from '../../../kernel/errors.js';

export const IdempotencyKey = ({ required }: { readonly required: boolean }) =>
  ApiHeader({
    name: 'Idempotency-Key',
    required,
    description: 'Makes a repetition safe: the request is carried out at most once per wallet and key.',
    schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$', examples: ['order-1843'] },
  });

export const REPLAYED_HEADER = {
  'Idempotency-Replayed': {
    description:
      'Sent where an earlier request with this `Idempotency-Key` was carried out, and this one was not.',
    schema: { type: 'string', enum: ['true'] },
  },
};

/** Null if absent. Throws `VALIDATION_ERROR`. */
export function idempotencyKeyOf(header: string | undefined): string | null {
  if (header === undefined) return null;
  if (/^[\x21-\x7e]{1,255}$/.test(header)) return header;
  throw validationError({ field: 'Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters' });
}
