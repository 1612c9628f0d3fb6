import { queryOptions } from '@tanstack/react-query';
import { watched } from '../live/poll-intervals.js';
import { queryKeys } from './query-keys.js';
import { answerOf, api } from './request.js';

/** The newest withdrawals of a wallet. */
export const withdrawalsQuery = (walletId: string) =>
  queryOptions({
    queryKey: queryKeys.withdrawals(walletId),
    queryFn: async () =>
      (
        await answerOf(
          api.GET('/api/wallets/{walletId}/withdrawals', {
            params: { path: { walletId }, query: { page: 1, pageSize: 100 } },
          }),
        )
      ).data,
    refetchInterval: watched,
  });
