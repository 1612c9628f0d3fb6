import { ApiProperty } from '@nestjs/swagger';
import { KOBO_MAX, kobo, nairaFromKobo } from '../../../kernel/money.js';
import { merchantIdentity } from '../../../kernel/text.js';
import { TIME_ZONE_DEFAULT } from '../../../kernel/time.js';
import type { Column } from '../../../platform/http/api/csv.js';
import { CountParameter, instantOf, Parameter, WordParameter } from '../../../platform/http/api/query.js';
import {
  ApiEnumProperty,
  ApiIntegerProperty,
  ApiKoboProperty,
  ApiListProperty,
  ApiObjectProperty,
  ApiStringsProperty,
  ApiTextProperty,
  ApiTimeProperty,
  OR_NULL,
  Success,
} from '../../../platform/http/api/response-properties.js';
import { PaymentScopeQuery } from '../transactions/search.dto.js';
import { TimeZoneParameter } from '../transactions/spending.dto.js';
import { SPEND_GROUPS, type SpendGroup, type SpendRow } from './spend.domain.js';
import { SPEND_DAYS_MAX, type SpendQuestion } from './spend.service.js';

const ROWS_DEFAULT = 10;
const ROWS_MAX = 50;
const INSTANT = { type: 'string', format: 'date-time' } as const;

export class SpendTableQuery extends PaymentScopeQuery {
  @WordParameter(SPEND_GROUPS, 'What to total by.', SPEND_GROUPS[0])
  readonly by: SpendGroup = SPEND_GROUPS[0];

  @Parameter(instantOf, {
    description: `Requested at this moment or later; without it the 30 days before \`to\`. At most ${SPEND_DAYS_MAX} days.`,
    ...INSTANT,
  })
  readonly from: Date | null = null;

  @Parameter(instantOf, { description: 'Requested before this moment; without it now.', ...INSTANT })
  readonly to: Date | null = null;
}

export class SpendQuery extends SpendTableQuery {
  @CountParameter(ROWS_MAX, 'How many rows; the rest is summed as `other`.', ROWS_DEFAULT)
  readonly limit: number = ROWS_DEFAULT;

  @TimeZoneParameter()
  readonly timeZone: string = TIME_ZONE_DEFAULT;
}

export function spendQuestionOf(query: SpendTableQuery): SpendQuestion {
  const { walletId: walletIds, key: keyId, merchant, run: runId, ...rest } = query;
  const { by, from, to, purpose, category, costCentre } = rest;
  return {
    ...{ by, from, to, walletIds, keyId, runId, purpose, category, costCentre },
    merchant: merchant && merchantIdentity(merchant),
  };
}

class SpendFiguresView {
  @ApiIntegerProperty('How many payments were approved and not refunded.', 4, { minimum: 0 })
  payments: number;

  @ApiKoboProperty('What these spent. It counts when it was requested, as in the stats of a wallet.', 160_000)
  spent: number;

  @ApiKoboProperty('What was approved and then refunded.', 0)
  refunded: number;

  @ApiIntegerProperty('How many attempts were blocked, denied or expired.', 2, { minimum: 0 })
  blocked: number;

  @ApiKoboProperty('What these asked for.', 90_000)
  blockedAmount: number;
}

const ByDay = () =>
  ApiProperty({
    type: 'array',
    items: { type: 'integer', format: 'int64', minimum: 0, maximum: KOBO_MAX },
    description: 'What was spent on each of `days`, in kobo; by block reason: what was blocked.',
    example: [40_000, 120_000],
  });

class SpendRowView extends SpendFiguresView {
  @ApiTextProperty(
    'The merchant’s identity, the id of the wallet or key, the purpose, run, category, cost centre or block reason; null: without one.',
    'shoprite',
    OR_NULL,
  )
  value: string | null;

  @ApiTextProperty('Its name, of a merchant, wallet or key.', 'Shoprite', OR_NULL)
  label: string | null;

  @ByDay()
  byDay: readonly number[];
}

class OtherSpend extends SpendFiguresView {
  @ApiIntegerProperty('How many groups these are.', 3, { minimum: 1 })
  groups: number;

  @ByDay()
  byDay: readonly number[];
}

class SpendView {
  @ApiEnumProperty(SPEND_GROUPS, 'What is totalled by.')
  by: SpendGroup;

  @ApiTimeProperty('The begin of the period, inclusive.')
  from: Date;

  @ApiTimeProperty('Its end, exclusive.')
  to: Date;

  @ApiStringsProperty('The days of the period in the time zone asked for.', ['2026-11-20', '2026-11-21'])
  days: readonly string[];

  @ApiObjectProperty(SpendFiguresView, 'All rows together; by block reason: what was blocked alone.')
  total: SpendFiguresView;

  @ApiListProperty(SpendRowView, 'The largest first.')
  rows: readonly SpendRowView[];

  @ApiObjectProperty(OtherSpend, 'What all others have together; null: there are none.', OR_NULL)
  other: OtherSpend | null;
}

export class SpendResponse extends Success(SpendView) {}

export const SPEND_CSV: readonly Column<SpendRow>[] = [
  { name: 'value', of: ({ value }) => value },
  { name: 'name', of: ({ label }) => label },
  { name: 'payments', of: ({ payments }) => payments },
  { name: 'spent_ngn', of: ({ spent }) => nairaFromKobo(kobo(spent)) },
  { name: 'spent_kobo', of: ({ spent }) => spent },
  { name: 'refunded_kobo', of: ({ refunded }) => refunded },
  { name: 'blocked', of: ({ blocked }) => blocked },
  { name: 'blocked_kobo', of: ({ blockedAmount }) => blockedAmount },
];
