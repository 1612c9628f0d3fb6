import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { Wallet } from '../../api/types.js';
import { Refused } from '../../parts/failure.js';
import { useSending } from '../../parts/sending.js';
import { dateInput, endOfDay } from '../../time.js';
import { nameProblem, optionalExpiryProblem } from '../../validation.js';
import { useNewKey } from './use-new-key.js';

export function NewKey({ wallet, onDone }: { wallet: Wallet; onDone: () => void }) {
  const make = useNewKey(wallet.id);
  const form = useForm({
    initialValues: { name: '', expiresAt: '' },
    validate: { name: nameProblem, expiresAt: (value) => optionalExpiryProblem(value) },
  });
  const creating = useSending(
    form,
    ({ name, expiresAt }) =>
      make({ name: name.trim(), expiresAt: endOfDay(expiresAt)?.toISOString() ?? null }),
    { onSuccess: onDone },
  );
  return (
    <form noValidate onSubmit={creating.submit}>
      <Stack>
        <TextInput
          label="Name"
          description="Who or what uses it"
          placeholder="Shopping agent, production"
          required
          maxLength={100}
          data-autofocus
          {...form.getInputProps('name')}
        />
        <TextInput
          label="Expires on"
          description="Optional; it pays until the end of this day"
          type="date"
          min={dateInput(0)}
          {...form.getInputProps('expiresAt')}
        />
        <Refused error={creating.refusal} />
        <Group>
          <Button type="submit" loading={creating.isPending}>
            Create key
          </Button>
          <Button variant="default" onClick={onDone}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
