import { useQueryClient } from '@tanstack/react-query';

/** Asks again at once for what an action of the owner changes. */
export function useRefresh(walletId: string) {
  const client = useQueryClient();
  return () => {
    const keys = [
      ['wallet', walletId],
      ['wallets'],
      ['names'],
      ['stats', walletId],
      ['payments'],
      ['recent'],
      ['ledger', walletId],
      ['changes', walletId],
      ['keys', walletId],
      ['by-day'],
    ];
    for (const queryKey of keys) void client.invalidateQueries({ queryKey });
  };
}
