import { type BlockReason, BLOCK_REASONS, validationError } from '../../../kernel/errors.js';
import { KOBO_MAX } from '../../../kernel/money.js';
import { merchantIdentity } from '../../../kernel/text.js';
import { RowCount } from '../../../platform/http/api/pagination.js';
import {
  cursorOf,
  type CursorPlace,
  instantOf,
  koboOf,
  Parameter,
  type Query,
  textOf,
  TextParameter,
  uuidOf,
  uuidsOf,
  WordParameter,
  wordsOf,
} from '../../../platform/http/api/query.js';
import {
  ApiConstantProperty,
  ApiEnumProperty,
  ApiIntegerProperty,
  ApiKoboProperty,
  ApiListProperty,
  OR_NULL,
} from '../../../platform/http/api/response-properties.js';
import { PAYMENT_STATUSES, type PaymentStatus } from '../payments.domain.js';
import { LABEL_LENGTH_MAX, labelText } from '../labels/labels.domain.js';
import { RUN_ID_MAX } from '../authorize/authorize.dto.js';
import { type PaymentFilter, WITHOUT, wordsSought } from './search.domain.js';

const LIMIT_DEFAULT = 10;
const TEXT_MAX = 200;
const WALLETS_MAX = 100;

const AMOUNT = { type: 'integer', format: 'int64', minimum: 0, maximum: KOBO_MAX } as const;
const INSTANT = { type: 'string', format: 'date-time' } as const;

function labelOf(query: Query, field: string, max: number): string | null {
  const text = textOf(query, field, max);
  return text && labelText(text);
}

export class PaymentScopeQuery {
  @Parameter((query, field) => uuidsOf(query, field, WALLETS_MAX), {
    description: `Only payments of these wallets: 1 to ${WALLETS_MAX} ids, separated by commas.`,
    type: 'string',
  })
  readonly walletId: readonly string[] | null = null;

  @TextParameter(TEXT_MAX, 'The merchant, regardless of case and spaces.')
  readonly merchant: string | null = null;

  @Parameter(uuidOf, {
    description: 'Only payments that this key asked for: its id.',
    type: 'string',
    format: 'uuid',
  })
  readonly key: string | null = null;

  @TextParameter(RUN_ID_MAX, 'Only payments of this run: its runId.')
  readonly run: string | null = null;

  @TextParameter(TEXT_MAX, 'Only payments of keys with this purpose.')
  readonly purpose: string | null = null;

  @TextParameter(LABEL_LENGTH_MAX, 'Only payments of this category.', labelOf)
  readonly category: string | null = null;

  @TextParameter(LABEL_LENGTH_MAX, 'Only payments of this cost centre.', labelOf)
  readonly costCentre: string | null = null;
}

export class PaymentsQuery extends PaymentScopeQuery {
  @Parameter((query, field) => wordsOf(query, field, PAYMENT_STATUSES), {
    description: `Only payments with these statuses: any of ${PAYMENT_STATUSES.join(', ')}, separated by commas.`,
    type: 'string',
  })
  readonly status: PaymentFilter['statuses'] = null;

  @Parameter(instantOf, { description: 'Requested at this moment or later.', ...INSTANT })
  readonly from: Date | null = null;

  @Parameter(instantOf, { description: 'Requested before this moment.', ...INSTANT })
  readonly to: Date | null = null;

  @WordParameter(BLOCK_REASONS, 'Only attempts that were blocked with this code.')
  readonly blockReason: BlockReason | null = null;

  @WordParameter(WITHOUT, 'Only payments without it.')
  readonly without: PaymentFilter['without'] = null;

  @WordParameter(['true'], 'Only what counts as spent: approved and not refunded.')
  readonly spent: 'true' | null = null;

  @TextParameter(
    TEXT_MAX,
    'Part of the merchant’s name, the reason or the purpose, or a whole account number, amount in naira, runId, name of a key, or id.',
  )
  readonly search: string | null = null;

  @Parameter(koboOf, { description: 'At least this amount, in kobo.', ...AMOUNT })
  readonly minAmount: number | null = null;

  @Parameter(koboOf, { description: 'At most this amount, in kobo.', ...AMOUNT })
  readonly maxAmount: number | null = null;
}

export class PaymentsByCursorQuery extends PaymentsQuery {
  @RowCount('How many', LIMIT_DEFAULT)
  readonly limit: number = LIMIT_DEFAULT;

  @Parameter(cursorOf, {
    description: 'The nextCursor of the page before; the first page without.',
    type: 'string',
  })
  readonly cursor: CursorPlace | null = null;
}

class TotalOfStatus {
  @ApiEnumProperty(PAYMENT_STATUSES, 'How the attempts ended.')
  status: PaymentStatus;

  @ApiIntegerProperty('How many attempts.', 4, { minimum: 1 })
  count: number;

  @ApiKoboProperty('What they asked for.', 160_000)
  amount: number;
}

export class PaymentTotalsResponse {
  @ApiConstantProperty(true)
  success: true;

  @ApiListProperty(
    TotalOfStatus,
    'Of all pages, without statuses that no attempt has; null: the period has too many attempts.',
    OR_NULL,
  )
  data: readonly TotalOfStatus[] | null;
}

/** Throws `VALIDATION_ERROR`. */
export function filterOf({
  key,
  run,
  purpose,
  blockReason,
  walletId,
  status,
  merchant,
  search,
  ...rest
}: PaymentsQuery): PaymentFilter {
  const { from, to, category, costCentre, without, spent, minAmount, maxAmount } = rest;
  if (from && to && to <= from) throw validationError({ field: 'to', message: 'must be later than from' });
  if (minAmount !== null && maxAmount !== null && maxAmount < minAmount) {
    throw validationError({ field: 'maxAmount', message: 'must be at least minAmount' });
  }
  return {
    keyId: key,
    runId: run,
    purpose,
    blockReason,
    category,
    costCentre,
    without,
    isSpent: spent && true,
    walletIds: walletId,
    statuses: status,
    from,
    to,
    merchant: merchant && merchantIdentity(merchant),
    ...(search === null ? { text: null, phrase: null, amount: null } : wordsSought(search)),
    minAmount,
    maxAmount,
  };
}
