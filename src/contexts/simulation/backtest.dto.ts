import {
  Amount,
  ApiField,
  BooleanField,
  Instant,
  NameList,
  Optional,
  IntegerField,
} from '../../platform/http/api/fields.js';
import {
  ApiEnumProperty,
  ApiBooleanProperty,
  ApiIdProperty,
  ApiKoboProperty,
  ApiListProperty,
  ApiObjectProperty,
  ApiTextProperty,
  ApiTimeProperty,
  ApiIntegerProperty,
  OR_NULL,
  Success,
} from '../../platform/http/api/response-properties.js';
import { type BlockReason, BLOCK_REASONS } from '../../kernel/errors.js';
import type { Kobo } from '../../kernel/money.js';

export class BacktestRequest {
  @ApiField('How many days back.', 30)
  @IntegerField(1, 366)
  days: number;

  @Optional()
  @ApiField('The most one payment may be, in kobo; absent: as it was.', 50_000)
  @Amount()
  spendLimitPerTx?: Kobo | null;

  @Optional()
  @ApiField('The most that may be spent within the window, in kobo; absent: as it was.', 120_000)
  @Amount()
  spendLimitPeriod?: Kobo | null;

  @Optional()
  @ApiField('Days of the rolling window, 24 hours each; absent: as they were.', 30)
  @IntegerField(1, 3650)
  periodWindowDays?: number | null;

  @Optional()
  @ApiField('From then on every payment is blocked; absent: as it was.', '2027-03-01T00:00:00Z')
  @Instant()
  expiry?: Date | null;

  @Optional()
  @ApiField('Whether only the merchants of the allowlist may be paid; absent: as it was.', true)
  @BooleanField()
  useAllowlist?: boolean | null;

  @Optional()
  @ApiField('The merchants that may be paid when an allowlist is used; absent: those of then.', ['Shoprite'])
  @NameList(1, 200, 1_000)
  merchantAllowlist?: string[] | null;
}

export class CountAndSum {
  @ApiIntegerProperty('How many attempts.', 3, { minimum: 0 })
  count: number;

  @ApiKoboProperty('The sum of their amounts.', 120_000)
  kobo: number;
}

class Outcomes {
  @ApiObjectProperty(CountAndSum, 'Approved; what waits for approval passed every check, and counts here.')
  approved: CountAndSum;

  @ApiObjectProperty(CountAndSum, 'Blocked.')
  blocked: CountAndSum;
}

export class DecisionChangeView {
  @ApiIdProperty('The attempt.')
  transactionId: string;

  @ApiTimeProperty('When it was requested; decided at once, unless it waited for approval.')
  createdAt: Date;

  @ApiKoboProperty('The amount.', 40_000, { minimum: 1 })
  amount: number;

  @ApiTextProperty('As supplied, trimmed.', 'Shoprite')
  merchantName: string;

  @ApiEnumProperty(BLOCK_REASONS, 'What blocked it; null: it was approved, or waits for approval.', OR_NULL)
  recorded: BlockReason | null;

  @ApiEnumProperty(BLOCK_REASONS, 'What would have blocked it; null: it would have been approved.', OR_NULL)
  underRules: BlockReason | null;
}

class BacktestResult {
  @ApiTimeProperty('The first attempt that was replayed; null when there was none.', OR_NULL)
  from: Date | null;

  @ApiTimeProperty('The last one.', OR_NULL)
  to: Date | null;

  @ApiIntegerProperty('How many were replayed.', 120, { minimum: 0 })
  attempts: number;

  @ApiBooleanProperty('False: only the newest 20,000 attempts of the time were replayed.', true)
  complete: boolean;

  @ApiObjectProperty(Outcomes, 'As it was.')
  recorded: Outcomes;

  @ApiObjectProperty(Outcomes, 'As it would have been.')
  underRules: Outcomes;

  @ApiObjectProperty(CountAndSum, 'Blocked then, and approved under these rules.')
  toApproved: CountAndSum;

  @ApiObjectProperty(CountAndSum, 'Approved then, or waiting, and blocked under these rules.')
  toBlocked: CountAndSum;

  @ApiListProperty(
    DecisionChangeView,
    'The first hundred attempts that these rules decide otherwise, oldest first.',
  )
  flips: readonly DecisionChangeView[];
}

export class BacktestResponse extends Success(BacktestResult) {}
