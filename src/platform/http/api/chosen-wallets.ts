import { applyDecorators } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { PAGE_SIZE_MAX } from '../../../kernel/page.js';
import { withoutIgnorable } from '../../../kernel/text.js';
import { type Query, textOf, uuidsOf } from './query.js';

const NAME_MAX = 100;

/** See {@link chosenWallets}. */
export const ChosenWallets = () =>
  applyDecorators(
    ApiQuery({
      name: 'walletId',
      required: false,
      description: `These wallets alone: up to ${PAGE_SIZE_MAX} ids with commas between them. What isn't yours is left out.`,
      schema: { type: 'string' },
    }),
    ApiQuery({
      name: 'search',
      required: false,
      description: 'Wallets with this in their name alone, regardless of case.',
      schema: { type: 'string', minLength: 1, maxLength: NAME_MAX },
    }),
  );

/** Null: all. Throws `VALIDATION_ERROR`. */
export function chosenWallets(query: Query): { ids: readonly string[] | null; text: string | null } {
  const text = textOf(query, 'search', NAME_MAX);
  return {
    ids: uuidsOf(query, 'walletId', PAGE_SIZE_MAX),
    text: text && withoutIgnorable(text.toLowerCase()),
  };
}
