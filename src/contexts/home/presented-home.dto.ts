import type { NewsOutcome, OutcomeSum } from '../payments/overview.port.js';
import type { HomeOutcomes, HomeView } from './home.dto.js';
import type { Home } from './home.service.js';

const NONE = { count: 0, amount: 0 };

function outcomesOf(sums: readonly OutcomeSum[]): HomeOutcomes {
  const of = (outcome: NewsOutcome) => {
    const { count, amount } = sums.find((sum) => sum.outcome === outcome) ?? NONE;
    return { count, amount };
  };
  return { paid: of('paid'), failed: of('failed'), blocked: of('blocked') };
}

const bySpent = (one: HomeOutcomes, other: HomeOutcomes) =>
  other.paid.amount - one.paid.amount || other.blocked.count - one.blocked.count;

export function presentHome(home: Home): HomeView {
  const { news, names, keys } = home;
  const named = (walletId: string) => ({ walletId, walletName: names.get(walletId) ?? '' });
  const keyName = (keyId: string | null) => keys.get(keyId ?? '')?.name ?? null;
  const walletSums = Map.groupBy(news.wallets, ({ walletId }) => walletId);
  const keySums = Map.groupBy(news.keys, ({ keyId }) => keyId);
  return {
    from: news.from,
    to: home.to,
    isSinceVisit: home.isSinceVisit,
    isCut: news.from > home.asked,
    total: outcomesOf(news.outcomes),
    reasons: news.reasons,
    wallets: [...walletSums].map(([id, sums]) => ({ ...named(id), ...outcomesOf(sums) })).sort(bySpent),
    keys: [...keySums]
      .map(([keyId, sums]) => ({
        keyId,
        keyName: keyName(keyId),
        ...named(sums[0]?.walletId ?? ''),
        ...outcomesOf(sums),
      }))
      .sort(bySpent),
    repeats: news.repeats.map(({ walletId, keyId, ...rest }) => ({
      ...named(walletId),
      keyId,
      keyName: keyName(keyId),
      merchantName: rest.merchantName,
      outcome: rest.outcome,
      blockReason: rest.blockReason,
      count: rest.count,
      amount: rest.amount,
      lastId: rest.lastId,
      lastAt: rest.lastAt,
    })),
    unusual: [
      ...news.bursts.map(({ walletId, keyId, count }) => ({
        kind: 'burst' as const,
        ...named(walletId),
        count,
        amount: 0,
        ...(keyId !== null && { keyId, keyName: keyName(keyId) }),
      })),
      ...home.unusualDays.map(({ walletId, spent, usual }) => ({
        kind: 'day' as const,
        ...named(walletId),
        count: 1,
        amount: spent,
        usual,
      })),
      ...news.newAccounts.map(({ walletId, count, amount, merchantName, lastId }) => ({
        kind: 'account' as const,
        ...named(walletId),
        count,
        amount,
        merchantName,
        lastId,
      })),
    ],
    limits: home.limits.map(({ walletId, ...rest }) => ({ ...named(walletId), ...rest })),
    lowBalances: home.low.map(({ walletId, name, balance, threshold }) => ({
      walletId,
      walletName: name,
      balance,
      threshold,
    })),
    endpoints: home.endpoints.map(({ id, host, disabledReason, failingSince }) => ({
      id,
      host,
      pausedReason: disabledReason,
      failingSince,
    })),
    returned: home.returned.map(({ walletId, ...rest }) => ({ ...named(walletId), ...rest })),
    returnedWithdrawals: home.returnedWithdrawals.map(({ walletId, ...rest }) => ({
      ...named(walletId),
      ...rest,
    })),
  };
}
