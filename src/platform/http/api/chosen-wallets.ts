import { PAGE_SIZE_MAX } from '../../../kernel/page.js';
import { withoutIgnorable } from '../../../kernel/text.js';
import { Parameter, TextParameter, uuidsOf } from './query.js';

const NAME_MAX = 100;

export class ChosenWalletsQuery {
  @Parameter((query, field) => uuidsOf(query, field, PAGE_SIZE_MAX), {
    description: `These wallets alone: up to ${PAGE_SIZE_MAX} ids with commas between them. What isn't yours is left out.`,
    type: 'string',
  })
  readonly walletId: readonly string[] | null = null;

  @TextParameter(NAME_MAX, 'Wallets with this in their name alone, regardless of case.')
  readonly search: string | null = null;
}

/** Null: all. */
export function chosenWallets({ walletId, search }: ChosenWalletsQuery) {
  return { ids: walletId, text: search && withoutIgnorable(search.toLowerCase()) };
}
