import { Injectable } from '@nestjs/common';
import type { OwnedWallet } from '../../wallet/wallet.port.js';
import {
  NEWS_ATTEMPTS_MAX,
  PaymentsOverview,
  type PeriodNews,
  type ReturnedPayout,
  type UnusualDay,
  type UsedLimit,
} from '../overview.port.js';
import { SpendStore } from '../spend/spend.store.js';
import { TransactionsService } from '../transactions/transactions.service.js';
import { OverviewStore } from './overview.store.js';

/** Tried for a busy account. */
const SHORTER_PERIODS = [7 * 24 * 60, 24 * 60, 60, 5].map((minutes) => minutes * 60_000);
const NO_FILTER = {
  keyId: null,
  merchant: null,
  runId: null,
  purpose: null,
  category: null,
  costCentre: null,
};
const NEAR = 0.8;
const LIMITS_SHOWN = 10;

@Injectable()
export class OverviewService implements PaymentsOverview {
  constructor(
    private readonly store: OverviewStore,
    private readonly spend: SpendStore,
    private readonly transactions: TransactionsService,
  ) {}

  async newsOf(walletIds: readonly string[], asked: Date, to: Date): Promise<PeriodNews> {
    let from = asked;
    for (const ms of SHORTER_PERIODS) {
      if ((await this.spend.attempts(walletIds, { ...NO_FILTER, from, to })) <= NEWS_ATTEMPTS_MAX) break;
      from = new Date(Math.max(asked.getTime(), to.getTime() - ms));
    }
    return { from, ...(await this.store.news(walletIds, from, to)) };
  }

  unusualDays(walletIds: readonly string[]): Promise<readonly UnusualDay[]> {
    return this.store.unusualDays(walletIds);
  }

  returned(walletIds: readonly string[]): Promise<readonly ReturnedPayout[]> {
    return this.store.returned(walletIds);
  }

  async usedLimits(wallets: readonly OwnedWallet[]): Promise<readonly UsedLimit[]> {
    const active = wallets.filter(({ status, expired }) => status === 'ACTIVE' && !expired);
    const daysOf = new Map(active.map(({ id, periodWindowDays }) => [id, periodWindowDays]));
    const used = (await this.transactions.statsOf(active))
      .filter(({ spendLimitPeriod: limit, remainingAllowance }) => limit - remainingAllowance >= NEAR * limit)
      .map(({ walletId, spentThisPeriod: spent, spendLimitPeriod: limit, remainingAllowance }) => ({
        walletId,
        spent,
        held: limit - spent - remainingAllowance,
        limit,
        days: daysOf.get(walletId) as number,
      }));
    const share = ({ spent, held, limit }: UsedLimit) => (spent + held) / limit;
    return used.sort((one, other) => share(other) - share(one)).slice(0, LIMITS_SHOWN);
  }
}
