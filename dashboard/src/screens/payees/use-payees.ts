import { useMutation, useQueryClient } from '@tanstack/react-query';
import { registerPayee, removePayee } from '../../api/payees.js';
import { queryKeys } from '../../api/query-keys.js';
import type { NewPayee, Payee } from '../../api/types.js';
import { useBankNames } from '../../text/banks.js';
import { refused, toast } from '../../parts/toasts/toasts.js';

/** Registers and removes payees of a wallet; each can be taken back. */
export function usePayeeChanges(walletId: string) {
  const client = useQueryClient();
  const bankName = useBankNames();
  const refresh = () => {
    void client.invalidateQueries({ queryKey: queryKeys.payees(walletId) });
    void client.invalidateQueries({ queryKey: queryKeys.changes(walletId) });
  };
  const trust = useMutation({
    mutationFn: (payee: NewPayee) => registerPayee(walletId, payee),
    onSuccess: (payee) => {
      const { merchantName, bankCode, accountNumber, accountName } = payee;
      const holder = accountName ? ` (${accountName})` : '';
      void toast({
        message: `${merchantName} may be paid at ${bankName(bankCode)} ${accountNumber}${holder}`,
        undo: () => void removePayee(walletId, payee.id).then(refresh, refused),
      });
    },
    onSettled: refresh,
  });
  const remove = useMutation({
    mutationFn: (payee: Payee) => removePayee(walletId, payee.id),
    onSuccess: (_, { merchantName, bankCode, accountNumber }) =>
      void toast({
        tone: 'info',
        message: `${merchantName} is no longer a payee at ${bankName(bankCode)} ${accountNumber}`,
        undo: () =>
          void registerPayee(walletId, { merchantName, bankCode, accountNumber }).then(refresh, refused),
      }),
    onError: refused,
    onSettled: refresh,
  });
  return { trust, remove };
}
