import { useMutation, useQueryClient } from '@tanstack/react-query';
import { resumeWallets } from '../../api/calls.js';
import { toast } from '../../parts/toasts/toasts.js';
import { pluralize } from '../../text/pluralize.js';

/** Lets several wallets pay again, all or none. */
export function useResumeWallets({
  onSuccess,
  onError,
}: {
  onSuccess?: () => void;
  onError?: (error: unknown) => void;
}) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: resumeWallets,
    onSuccess: ({ resumed }) => {
      onSuccess?.();
      void toast({ message: `${pluralize(resumed, 'wallet')} can pay again` });
    },
    onError: (error) => onError?.(error),
    onSettled: () => void client.invalidateQueries(),
  });
}
