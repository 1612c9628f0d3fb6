import { Button, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { renameKey } from '../../api/keys.js';
import { queryKeys } from '../../api/query-keys.js';
import type { WalletKey } from '../../api/types.js';
import { useKeptForm } from '../../parts/state/kept.js';
import { Actions } from '../../parts/forms/actions.js';
import { nameOfKey } from '../../wallet/key-words.js';
import { Refused } from '../../parts/loading/failure.js';
import { useSending } from '../../parts/forms/sending.js';
import { toast } from '../../parts/toasts/toasts.js';
import { nameProblem } from '../../text/validation.js';

interface Props {
  walletId: string;
  apiKey: WalletKey;
  onDone: () => void;
}

export function RenameKey({ walletId, apiKey, onDone }: Props) {
  const client = useQueryClient();
  const form = useKeptForm(`name of key ${apiKey.id}`, {
    initialValues: { name: apiKey.name ?? '' },
    validate: { name: nameProblem },
  });
  const saving = useSending(form, ({ name }) => renameKey(walletId, apiKey.id, name.trim()), {
    onSuccess: ({ data: { apiKey: renamed } }) => {
      void toast({ message: `The key is now called ${nameOfKey(renamed)}` });
      void client.invalidateQueries({ queryKey: queryKeys.keys(walletId) });
      void client.invalidateQueries({ queryKey: queryKeys.changes(walletId) });
      onDone();
    },
  });
  return (
    <form noValidate onSubmit={saving.submit}>
      <Stack>
        <TextInput
          label="Name"
          description="Who or what uses it"
          required
          maxLength={100}
          data-autofocus
          {...form.getInputProps('name')}
        />
        <Refused error={saving.refusal} />
        <Actions onCancel={onDone}>
          <Button type="submit" loading={saving.isPending}>
            Save
          </Button>
        </Actions>
      </Stack>
    </form>
  );
}
