import { Button, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { revokeKey } from '../../api/keys.js';
import { queryKeys } from '../../api/query-keys.js';
import type { WalletKey } from '../../api/types.js';
import { nameOfKey } from '../../wallet/key-words.js';
import { Actions } from '../../parts/forms/actions.js';
import { Refused } from '../../parts/loading/failure.js';
import { toast } from '../../parts/toasts/toasts.js';
import { forgetKey } from '../../session/secrets.js';

interface Props {
  walletId: string;
  apiKey: WalletKey;
  onDone: () => void;
}

/** Asks once before a key is ended for good. */
export function RevokeKey({ walletId, apiKey, onDone }: Props) {
  const client = useQueryClient();
  const revoking = useMutation({
    mutationFn: () => revokeKey(walletId, apiKey.id),
    onSuccess: () => {
      forgetKey(walletId, apiKey.keyPrefix);
      void client.invalidateQueries({ queryKey: queryKeys.keys(walletId) });
      void client.invalidateQueries({ queryKey: queryKeys.changes(walletId) });
      void toast({ tone: 'info', message: `${nameOfKey(apiKey)} was revoked` });
      onDone();
    },
  });
  return (
    <Stack>
      <Text size="sm" className="wrap">
        Agents that use <b>{nameOfKey(apiKey)}</b> can’t pay from now on. This can’t be undone; to keep an
        agent paying, rotate the key instead.
      </Text>
      <Refused error={revoking.error} />
      <Actions onCancel={onDone}>
        <Button color="red" data-autofocus loading={revoking.isPending} onClick={() => revoking.mutate()}>
          Revoke key
        </Button>
      </Actions>
    </Stack>
  );
}
