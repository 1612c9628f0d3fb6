import { Injectable } from '@nestjs/common';
import type { SessionUser } from '../identity/identity.port.js';
import { FailingEndpoints } from '../notifications/notifications.port.js';
import { PaymentsOverview } from '../payments/overview.port.js';
import { LowBalanceThresholds } from '../wallet/low-balance/low-balance.port.js';
import { type OwnedWallet, Wallets } from '../wallet/wallet.port.js';
import { ReturnedWithdrawals } from '../wallet/withdrawals/withdrawals.port.js';
import { HomeStore } from './home.store.js';

const DAY_MS = 24 * 60 * 60_000;
const LOW_SHOWN = 10;

export type Home = Awaited<ReturnType<HomeService['read']>>;

@Injectable()
export class HomeService {
  constructor(
    private readonly store: HomeStore,
    private readonly wallets: Wallets,
    private readonly thresholds: LowBalanceThresholds,
    private readonly endpoints: FailingEndpoints,
    private readonly payments: PaymentsOverview,
    private readonly withdrawals: ReturnedWithdrawals,
  ) {}

  /** Null `days`: since the last visit. */
  async read({ userId, accountId }: SessionUser, days: number | null) {
    const { since, now } = await this.store.visit(userId);
    const asked = days === null ? since : new Date(now.getTime() - days * DAY_MS);
    const wallets = await this.wallets.ownedBy(accountId, { ids: null, text: null });
    const ids = wallets.map(({ id }) => id);
    const [news, unusualDays, limits, returned, returnedWithdrawals, low, endpoints] = await Promise.all([
      this.payments.newsOf(ids, asked, now),
      this.payments.unusualDays(ids),
      this.payments.usedLimits(wallets),
      this.payments.returned(ids),
      this.withdrawals.returned(ids),
      this.lowBalances(wallets),
      this.endpoints.of(accountId),
    ]);
    const keyIds = [...news.keys, ...news.repeats, ...news.bursts].flatMap(({ keyId }) => keyId ?? []);
    const walletIds = [
      ...news.wallets,
      ...news.keys,
      ...news.repeats,
      ...news.bursts,
      ...news.newAccounts,
      ...unusualDays,
      ...limits,
      ...returned,
      ...returnedWithdrawals,
    ].map(({ walletId }) => walletId);
    const [names, keys] = await Promise.all([
      this.wallets.namesOf([...new Set(walletIds)]),
      this.wallets.keyLabels([...new Set(keyIds)]),
    ]);
    return {
      asked,
      to: now,
      isSinceVisit: days === null,
      news,
      unusualDays,
      limits,
      returned,
      returnedWithdrawals,
      low,
      endpoints,
      names,
      keys,
    };
  }

  private async lowBalances(wallets: readonly OwnedWallet[]) {
    const active = wallets.filter(({ status }) => status === 'ACTIVE').map(({ id }) => id);
    if (active.length === 0) return [];
    const standings = await this.thresholds.standingsOf(active);
    return standings
      .filter(({ balance, threshold }) => balance < threshold)
      .sort((one, other) => one.balance / one.threshold - other.balance / other.threshold)
      .slice(0, LOW_SHOWN);
  }
}
