import { queryOptions } from '@tanstack/react-query';
import { recentLedger, recentTransactions } from '../../api/calls.js';
import { queryKeys } from '../../api/query-keys.js';
import { ENTRIES_READ, PAYMENTS_READ } from './happened.domain.js';
import { overview, watchedToTheEnd } from '../../live/poll-intervals.js';

/** The newest payments and ledger entries of all wallets. */
export const recentQuery = queryOptions({
  queryKey: queryKeys.recentPayments,
  queryFn: async () => {
    const [payments, entries] = await Promise.all([
      recentTransactions(PAYMENTS_READ),
      recentLedger(ENTRIES_READ),
    ]);
    return { payments, entries };
  },
  refetchInterval: watchedToTheEnd(({ payments }) => payments, overview),
});
