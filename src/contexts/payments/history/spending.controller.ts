import { applyDecorators, Controller, Get, Param, Query } from '@nestjs/common';
import { ApiQuery, ApiTags } from '@nestjs/swagger';
import { Operation, WalletIdParam } from '../../../platform/http/operation.js';
import { positiveInteger } from '../../../platform/http/pagination.js';
import { validationError } from '../../../kernel/errors.js';
import type { SessionUser } from '../../identity/identity.port.js';
import { Authenticated, Session } from '../../identity/session.guard.js';
import { DaysResponse, WalletsStatsResponse, WalletStats } from './spending.dto.js';
import { HistoryService } from './history.service.js';

const DAYS_DEFAULT = 30;
const DAYS_MAX = 366;
const TIME_ZONE_DEFAULT = 'Africa/Lagos';

/** The route takes `days` and `timeZone`. */
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
  constructor(private readonly history: HistoryService) {}

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
  @Operation({
    id: 'listWalletStats',
    summary: 'Read what each wallet spent in its window and may still spend',
    answers: WalletsStatsResponse,
  })
  async statsOfAll(@Session() { userId }: SessionUser): Promise<WalletsStatsResponse> {
    return { success: true, data: await this.history.statsOfAll(userId) };
  }

  @Get('v1/spend-by-day')
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
