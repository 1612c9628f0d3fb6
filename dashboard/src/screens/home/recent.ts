import { queryOptions } from '@tanstack/react-query';
import { recentLedger, recentTransactions } from '../../api/calls.js';
import { queryKeys } from '../../api/query-keys.js';
import { overview, watchedToTheEnd } from '../../live/poll-intervals.js';

export const ACTIVITY_SHOWN = 10;

/** The newest payments and ledger entries of all wallets. */
export const recentQuery = queryOptions({
  queryKey: queryKeys.recentPayments,
  queryFn: async () => {
    const [payments, entries] = await Promise.all([recentTransactions(ACTIVITY_SHOWN), recentLedger()]);
    return { payments, entries };
  },
  refetchInterval: watchedToTheEnd(({ payments }) => payments, overview),
});
