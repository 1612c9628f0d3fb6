import { applyDecorators, Controller, Get, Param, Query } from '@nestjs/common';
import { ApiQuery, ApiTags } from '@nestjs/swagger';
import { Operation, WalletIdParam } from '../../../platform/http/api/operation.js';
import { StrictQuery } from '../../../platform/http/api/strict-query.js';
import { pageRequest, paginated, Paged, positiveInteger } from '../../../platform/http/api/pagination.js';
import { validationError } from '../../../kernel/errors.js';
import type { SessionUser } from '../../identity/identity.port.js';
import { Authenticated, Session } from '../../identity/session.guard.js';
import { ChosenWallets, chosenWallets } from '../../../platform/http/api/chosen-wallets.js';
import { wordOf } from '../../../platform/http/api/query.js';
import {
  AtBankResponse,
  DaysResponse,
  TotalStatsResponse,
  WalletsStatsResponse,
  WalletStats,
} from './spending.dto.js';
import { TransactionsService, STATS_SORTS } from './transactions.service.js';

const DAYS_DEFAULT = 30;
const DAYS_MAX = 366;
const TIME_ZONE_DEFAULT = 'Africa/Lagos';

const ByDay = () =>
  applyDecorators(
    ApiQuery({
      name: 'days',
      required: false,
      description: 'How many days, today included.',
      schema: { type: 'integer', minimum: 1, maximum: DAYS_MAX, default: DAYS_DEFAULT },
    }),
    ApiQuery({
      name: 'timeZone',
      required: false,
      description: 'Where a day begins at midnight.',
      schema: { type: 'string', default: TIME_ZONE_DEFAULT },
    }),
  );

@ApiTags('payments')
@Controller()
@Authenticated()
export class SpendingController {
  constructor(private readonly history: TransactionsService) {}

  @Get('v1/wallets/:walletId/stats')
  @WalletIdParam()
  @Operation({
    id: 'getWalletStats',
    summary: 'Read what a wallet spent in its window and may still spend',
    answers: WalletStats,
    errors: ['WALLET_NOT_FOUND'],
  })
  stats(@Param('walletId') walletId: string, @Session() { userId }: SessionUser): Promise<WalletStats> {
    return this.history.stats(walletId, userId);
  }

  @Get('v1/stats')
  @StrictQuery()
  @ChosenWallets()
  @ApiQuery({
    name: 'sort',
    required: false,
    description: 'The order; a minus turns it around.',
    schema: { type: 'string', enum: [...STATS_SORTS], default: STATS_SORTS[0] },
  })
  @Paged()
  @Operation({
    id: 'listWalletStats',
    summary: 'Read what each wallet spent in its window and may still spend',
    description: 'All wallets, unless a page is asked for by `page` or `pageSize`.',
    answers: WalletsStatsResponse,
    errors: ['VALIDATION_ERROR'],
  })
  async statsOfAll(
    @Query() query: Record<string, unknown>,
    @Session() { userId }: SessionUser,
  ): Promise<WalletsStatsResponse> {
    const isPaged = query.page !== undefined || query.pageSize !== undefined;
    const request = isPaged ? pageRequest(query) : null;
    const found = await this.history.statsOfAll(userId, {
      ...chosenWallets(query),
      sort: wordOf(query, 'sort', STATS_SORTS) ?? STATS_SORTS[0],
      request,
    });
    return request ? paginated(request, found) : { success: true, data: found.rows };
  }

  @Get('v1/stats/total')
  @StrictQuery()
  @Operation({
    id: 'getTotalStats',
    summary: 'Read what all wallets hold, spent in their windows and may still spend together',
    answers: TotalStatsResponse,
    errors: ['VALIDATION_ERROR'],
  })
  async total(@Session() { userId }: SessionUser): Promise<TotalStatsResponse> {
    return { success: true, data: await this.history.total(userId) };
  }

  @Get('v1/stats/at-bank')
  @StrictQuery()
  @Operation({
    id: 'getAtBank',
    summary: 'Read how much of all wallets is with the bank',
    description:
      'Payments that were approved and withdrawals that were asked for, as long as the bank may still pay them: ' +
      'suspending the wallets does not stop them.',
    answers: AtBankResponse,
    errors: ['VALIDATION_ERROR'],
  })
  async atBank(@Session() { userId }: SessionUser): Promise<AtBankResponse> {
    return { success: true, data: await this.history.atBank(userId) };
  }

  @Get('v1/spend-by-day')
  @StrictQuery()
  @ByDay()
  @Operation({
    id: 'listSpendByDay',
    summary: 'Read what all wallets spent, and how many attempts were blocked, in each of the last days',
    description: 'Oldest first, the day that is under way included. Refunded spend does not count.',
    answers: DaysResponse,
    errors: ['VALIDATION_ERROR'],
  })
  byDay(@Query() query: Record<string, unknown>, @Session() { userId }: SessionUser): Promise<DaysResponse> {
    return this.days(null, userId, query);
  }

  @Get('v1/wallets/:walletId/spend-by-day')
  @StrictQuery()
  @WalletIdParam()
  @ByDay()
  @Operation({
    id: 'listWalletSpendByDay',
    summary: 'Read what a wallet spent, and how many attempts were blocked, in each of the last days',
    description: 'Oldest first, the day that is under way included. Refunded spend does not count.',
    answers: DaysResponse,
    errors: ['VALIDATION_ERROR', 'WALLET_NOT_FOUND'],
  })
  byDayOfWallet(
    @Param('walletId') walletId: string,
    @Query() query: Record<string, unknown>,
    @Session() { userId }: SessionUser,
  ): Promise<DaysResponse> {
    return this.days(walletId, userId, query);
  }

  private async days(
    walletId: string | null,
    userId: string,
    query: Record<string, unknown>,
  ): Promise<DaysResponse> {
    const days = positiveInteger(query, 'days', DAYS_DEFAULT);
    if (days > DAYS_MAX) throw validationError({ field: 'days', message: `must be at most ${DAYS_MAX}` });
    const { timeZone = TIME_ZONE_DEFAULT } = query;
    if (typeof timeZone !== 'string' || !/^[A-Za-z][\w+/-]{0,63}$/.test(timeZone)) {
      throw validationError({
        field: 'timeZone',
        message: 'must be the name of a time zone, such as Africa/Lagos',
      });
    }
    return { success: true, data: await this.history.byDay(walletId, userId, days, timeZone) };
  }
}
