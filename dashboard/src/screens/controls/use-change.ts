import { useMutation } from '@tanstack/react-query';
import { changeWallet, resumeWallet, suspendWallet } from '../../api/calls.js';
import type { Wallet, WalletChangeRequest } from '../../api/types.js';
import { refused, toast } from '../../parts/toasts/toasts.js';
import { useRefresh } from './use-refresh.js';

/** Stops the wallet and lets it pay again; each can be taken back. */
export function useFreeze(wallet: Pick<Wallet, 'id' | 'name'>) {
  const refresh = useRefresh(wallet.id);
  const freeze = useMutation({
    mutationFn: () => suspendWallet(wallet.id),
    onSuccess: () =>
      void toast({ message: `${wallet.name} is frozen`, tone: 'info', undo: () => resume.mutate() }),
    onError: refused,
    onSettled: refresh,
  });
  const resume = useMutation({
    mutationFn: () => resumeWallet(wallet.id),
    onSuccess: () => void toast({ message: `${wallet.name} can pay again` }),
    onError: refused,
    onSettled: refresh,
  });
  return { freeze, resume };
}

/**
 * Changes rules of the wallet from where one stands; it can be taken back. Neither overwrites what was changed elsewhere
 * since: a list that is sent is the whole list.
 */
export function useRuleChange(wallet: Pick<Wallet, 'id' | 'version'>) {
  const refresh = useRefresh(wallet.id);
  return useMutation({
    mutationFn: ({ change }: { change: WalletChangeRequest; back: WalletChangeRequest; done: string }) =>
      changeWallet(wallet.id, { ...change, version: wallet.version }),
    onSuccess: ({ wallet: { version } }, { done, back }) =>
      void toast({
        message: done,
        undo: () => void changeWallet(wallet.id, { ...back, version }).then(refresh, failed),
      }),
    onError: refused,
    onSettled: refresh,
  });

  function failed(error: unknown): void {
    refused(error);
    refresh();
  }
}
