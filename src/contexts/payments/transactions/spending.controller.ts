import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Operation, WalletIdParam } from '../../../platform/http/api/operation.js';
import { StrictQuery } from '../../../platform/http/api/strict-query.js';
import { PAGE_SIZE_DEFAULT, paginated } from '../../../platform/http/api/pagination.js';
import type { SessionUser } from '../../identity/identity.port.js';
import { Authenticated, Can, Session } from '../../identity/session.guard.js';
import { chosenWallets } from '../../../platform/http/api/chosen-wallets.js';
import {
  AtBankResponse,
  DaysQuery,
  DaysResponse,
  WalletStatsQuery,
  TotalStatsResponse,
  WalletsStatsResponse,
  WalletStatsResponse,
} from './spending.dto.js';
import { TransactionsService } from './transactions.service.js';

@ApiTags('payments')
@Controller()
@Authenticated()
export class SpendingController {
  constructor(private readonly history: TransactionsService) {}

  @Get('v1/wallets/:walletId/stats')
  @WalletIdParam()
  @Can('wallets.read')
  @Operation({
    id: 'getWalletStats',
    summary: 'Read what a wallet spent in its window and may still spend',
    answers: WalletStatsResponse,
    errors: ['WALLET_NOT_FOUND'],
  })
  stats(
    @Param('walletId') walletId: string,
    @Session() { accountId }: SessionUser,
  ): Promise<WalletStatsResponse> {
    return this.history.stats(walletId, accountId);
  }

  @Get('v1/stats')
  @StrictQuery(WalletStatsQuery)
  @Can('wallets.read')
  @Operation({
    id: 'listWalletStats',
    summary: 'Read what each wallet spent in its window and may still spend',
    description: 'All wallets, unless a page is asked for by `page` or `pageSize`.',
    answers: WalletsStatsResponse,
  })
  async statsOfAll(
    @Query() query: WalletStatsQuery,
    @Session() { accountId }: SessionUser,
  ): Promise<WalletsStatsResponse> {
    const { page, pageSize, sort } = query;
    const isPaged = page !== undefined || pageSize !== undefined;
    const request = isPaged ? { page: page ?? 1, pageSize: pageSize ?? PAGE_SIZE_DEFAULT } : null;
    const found = await this.history.statsOfAll(accountId, {
      ...chosenWallets(query),
      sort,
      request,
    });
    return request ? paginated(request, found) : { success: true, data: found.rows };
  }

  @Get('v1/stats/total')
  @StrictQuery()
  @Can('wallets.read')
  @Operation({
    id: 'getTotalStats',
    summary: 'Read what all wallets hold, spent in their windows and may still spend together',
    answers: TotalStatsResponse,
  })
  async total(@Session() { accountId }: SessionUser): Promise<TotalStatsResponse> {
    return { success: true, data: await this.history.total(accountId) };
  }

  @Get('v1/stats/at-bank')
  @StrictQuery()
  @Can('wallets.read')
  @Operation({
    id: 'getAtBank',
    summary: 'Read how much of all wallets is with the bank',
    description:
      'Payments that were approved and withdrawals that were asked for, as long as the bank may still pay them: ' +
      'suspending the wallets does not stop them.',
    answers: AtBankResponse,
  })
  async atBank(@Session() { accountId }: SessionUser): Promise<AtBankResponse> {
    return { success: true, data: await this.history.atBank(accountId) };
  }

  @Get('v1/spend-by-day')
  @StrictQuery(DaysQuery)
  @Can('wallets.read')
  @Operation({
    id: 'listSpendByDay',
    summary: 'Read what all wallets spent, and how many attempts were blocked, in each of the last days',
    description: 'Oldest first, the day that is under way included. Refunded spend does not count.',
    answers: DaysResponse,
  })
  byDay(@Query() query: DaysQuery, @Session() { accountId }: SessionUser): Promise<DaysResponse> {
    return this.days(null, accountId, query);
  }

  @Get('v1/wallets/:walletId/spend-by-day')
  @StrictQuery(DaysQuery)
  @WalletIdParam()
  @Can('wallets.read')
  @Operation({
    id: 'listWalletSpendByDay',
    summary: 'Read what a wallet spent, and how many attempts were blocked, in each of the last days',
    description: 'Oldest first, the day that is under way included. Refunded spend does not count.',
    answers: DaysResponse,
    errors: ['WALLET_NOT_FOUND'],
  })
  byDayOfWallet(
    @Param('walletId') walletId: string,
    @Query() query: DaysQuery,
    @Session() { accountId }: SessionUser,
  ): Promise<DaysResponse> {
    return this.days(walletId, accountId, query);
  }

  private async days(
    walletId: string | null,
    accountId: string,
    { days, timeZone }: DaysQuery,
  ): Promise<DaysResponse> {
    return { success: true, data: await this.history.byDay(walletId, accountId, days, timeZone) };
  }
}
