import { useMutation, useQueryClient } from '@tanstack/react-query';
import { queryKeys } from '../../api/query-keys.js';
import { tryLimits } from '../../api/trials.js';
import type { Wallet } from '../../api/types.js';
import { toast } from '../../parts/toasts/toasts.js';
import type { WalletLimits } from '../../wallet/wallet-limits.js';
import { limitsOf } from '../../wallet/wallet-limits.js';
import { messageOf } from '../../text/words.js';
import { useRuleChange } from '../controls/use-change.js';

/** Begins a trial of limits beside the real ones, or ends it. */
export function useTrial(walletId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (limits: Partial<WalletLimits>) => tryLimits(walletId, limits),
    onSuccess: (trial, limits) => {
      client.setQueryData(queryKeys.shadowTrial(walletId), trial);
      const hasBegun = Object.keys(limits).length > 0;
      void toast({ message: hasBegun ? 'On trial from the next payment on' : 'The trial has ended' });
    },
    onError: (error) => void toast({ tone: 'bad', title: 'That didn’t work', message: messageOf(error) }),
  });
}

/** Makes limits of a trial the wallet's own; it can be taken back. */
export function useApply(wallet: Wallet) {
  const change = useRuleChange(wallet);
  const own: Partial<Record<string, unknown>> = { ...limitsOf(wallet) };
  return {
    isPending: change.isPending,
    apply: (limits: Partial<WalletLimits>, onDone: () => void) =>
      change.mutate(
        {
          change: limits,
          back: Object.fromEntries(Object.keys(limits).map((name) => [name, own[name]])),
          done: 'These limits apply from the next payment on',
        },
        { onSuccess: onDone },
      ),
  };
}
