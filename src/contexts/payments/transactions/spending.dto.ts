import { validationError } from '../../../kernel/errors.js';
import { TIME_ZONE_DEFAULT } from '../../../kernel/time.js';
import { ChosenWalletsQuery } from '../../../platform/http/api/chosen-wallets.js';
import { PageNumber, PageSize, Pagination } from '../../../platform/http/api/pagination.js';
import { CountParameter, Parameter, type Query, WordParameter } from '../../../platform/http/api/query.js';
import {
  ApiBooleanProperty,
  ApiIdProperty,
  ApiIntegerProperty,
  ApiKoboProperty,
  ApiObjectProperty,
  ApiTextProperty,
  ListOf,
  Success,
} from '../../../platform/http/api/response-properties.js';
import { STATS_SORTS } from './transactions.service.js';

export class WalletStatsQuery extends ChosenWalletsQuery {
  @WordParameter(STATS_SORTS, 'The order; a minus turns it around.', STATS_SORTS[0])
  readonly sort: (typeof STATS_SORTS)[number] = STATS_SORTS[0];

  @PageNumber()
  readonly page?: number;

  @PageSize()
  readonly pageSize?: number;
}

const DAYS_DEFAULT = 30;
const DAYS_MAX = 366;

/** Throws `VALIDATION_ERROR`. PostgreSQL knows which zones there are. */
function timeZoneOf({ timeZone }: Query, field: string): string {
  if (typeof timeZone === 'string' && /^[A-Za-z][\w+/-]{0,63}$/.test(timeZone)) return timeZone;
  throw validationError({ field, message: 'must be the name of a time zone, such as Africa/Lagos' });
}

export const TimeZoneParameter = () =>
  Parameter(timeZoneOf, {
    description: 'Where a day begins at midnight.',
    type: 'string',
    default: TIME_ZONE_DEFAULT,
  });

export class DaysQuery {
  @CountParameter(DAYS_MAX, 'How many days, today included.', DAYS_DEFAULT)
  readonly days: number = DAYS_DEFAULT;

  @TimeZoneParameter()
  readonly timeZone: string = TIME_ZONE_DEFAULT;
}

export class WalletStatsResponse {
  @ApiKoboProperty(
    'The money in the wallet. Where some of it is held, `available` is what can be spent.',
    65_055,
  )
  balance: number;

  @ApiKoboProperty('The most one payment may be.', 50_000)
  spendLimitPerTx: number;

  @ApiKoboProperty('The most that may be spent within the window.', 120_000)
  spendLimitPeriod: number;

  @ApiKoboProperty('Approved and not refunded spend of the last periodWindowDays × 24 hours.', 40_000)
  spentThisPeriod: number;

  @ApiIntegerProperty(
    'What the limit of the period leaves: spendLimitPeriod minus spentThisPeriod and what is held.',
    80_000,
  )
  remainingAllowance: number;

  @ApiKoboProperty('What payments hold that wait for approval; there where they can.', 0, { required: false })
  held?: number;

  @ApiKoboProperty('The balance less what is held; there together with it.', 65_055, { required: false })
  available?: number;
}

class StatsOfWallet extends WalletStatsResponse {
  @ApiIdProperty('The wallet.')
  walletId: string;
}

export class WalletsStatsResponse extends ListOf(
  StatsOfWallet,
  'Of each wallet, newest first unless told otherwise.',
) {
  @ApiObjectProperty(Pagination, 'There when a page was asked for.', { required: false })
  pagination?: Pagination;
}

class TotalStatsView {
  @ApiIntegerProperty('How many wallets there are, whatever their status.', 2, { minimum: 0 })
  wallets: number;

  @ApiIntegerProperty('How many of them are `ACTIVE`.', 2, { minimum: 0 })
  active: number;

  @ApiKoboProperty('The money in all of them.', 130_110)
  balance: number;

  @ApiKoboProperty('Approved and not refunded spend of each in its current window.', 80_000)
  spentThisPeriod: number;

  @ApiIntegerProperty(
    'What the limits of the periods leave to those that are `ACTIVE` and have not expired.',
    160_000,
  )
  remainingAllowance: number;
}

export class TotalStatsResponse extends Success(TotalStatsView, 'The sums over all wallets.') {}

class AtBank {
  @ApiIntegerProperty('How many payouts, withdrawals included.', 1, { minimum: 0 })
  count: number;

  @ApiKoboProperty('The sum of them.', 41_000)
  amount: number;

  @ApiBooleanProperty(
    'Whether there may be more than were counted: while a great many payouts are open.',
    false,
  )
  isPartial: boolean;
}

export class AtBankResponse extends Success(AtBank, 'The payouts of all wallets that have not ended.') {}

class DayOfSpendingView {
  @ApiTextProperty('The date in the time zone asked for.', '2026-11-21', { format: 'date' })
  day: string;

  @ApiIntegerProperty('Approved and not refunded spend, in kobo.', 40_000)
  spent: number;

  @ApiIntegerProperty('How many attempts were approved.', 1, { minimum: 0 })
  approved: number;

  @ApiIntegerProperty('How many attempts were blocked.', 2, { minimum: 0 })
  blocked: number;
}

export class DaysResponse extends ListOf(DayOfSpendingView, 'One for each day, oldest first.') {}
