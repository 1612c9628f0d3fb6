import { useQueryClient } from '@tanstack/react-query';
import { queryKeys } from '../../api/query-keys.js';

/** Asks again at once for what an action of the owner changes. */
export function useRefresh(walletId: string) {
  const client = useQueryClient();
  return () => {
    const keys = [
      queryKeys.wallet(walletId),
      queryKeys.wallets(),
      queryKeys.walletNames,
      queryKeys.stats(walletId),
      queryKeys.payments(),
      queryKeys.recentPayments,
      queryKeys.ledger(walletId),
      queryKeys.changes(walletId),
      queryKeys.keys(walletId),
      queryKeys.spendByDay(),
      queryKeys.home(),
    ];
    for (const queryKey of keys) void client.invalidateQueries({ queryKey });
  };
}
