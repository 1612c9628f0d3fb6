import '../../styles/fields.css';
import { Button, Checkbox, MultiSelect, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { walletNamesQuery } from '../../api/wallet-list.js';
import type { EndpointSettings, EventName } from '../../api/types.js';
import { webAddressProblem } from '../../text/validation.js';
import { EVENTS } from '../../text/webhook-events.js';
import { useKeptForm } from '../../parts/state/kept-form.js';
import { Actions } from '../../parts/forms/actions.js';
import { Refused } from '../../parts/loading/failure.js';
import { useSending } from '../../parts/forms/sending.js';

interface Props<Saved> {
  /** Under which what was typed outlives the end of the session. */
  name: string;
  initial?: EndpointSettings;
  submit: string;
  notice?: ReactNode;
  save: (settings: EndpointSettings) => Promise<Saved>;
  onSaved: (saved: Saved) => void;
  onCancel: () => void;
}

/** Where events go, which, and of which wallets. */
export function EndpointForm<Saved>({
  name,
  initial,
  submit,
  notice,
  save,
  onSaved,
  onCancel,
}: Props<Saved>) {
  const wallets = useQuery(walletNamesQuery);
  const form = useKeptForm(name, {
    initialValues: {
      url: initial?.url ?? '',
      events: initial?.events ?? (['wallet.funded'] as EventName[]),
      walletIds: initial?.walletIds ?? [],
      description: initial?.description ?? '',
    },
    validate: {
      url: webAddressProblem,
      events: (value) => (value.length > 0 ? null : 'Choose at least one event'),
    },
  });
  const saving = useSending(
    form,
    ({ url, events, walletIds, description }) =>
      save({
        url: url.trim(),
        events,
        walletIds: walletIds.length > 0 ? walletIds : null,
        description: description.trim() || null,
      }),
    { onSuccess: onSaved },
  );
  return (
    <form noValidate onSubmit={saving.submit}>
      <Stack>
        <TextInput
          label="URL"
          placeholder="https://example.com/hooks/wallet"
          type="url"
          required
          data-autofocus
          {...form.getInputProps('url')}
        />
        <Checkbox.Group label="Events" required {...form.getInputProps('events')}>
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" mt={6}>
            {EVENTS.map(({ name, told }) => (
              <Checkbox key={name} value={name} label={name} description={told} />
            ))}
          </SimpleGrid>
        </Checkbox.Group>
        <MultiSelect
          label="Wallets"
          placeholder={form.values.walletIds.length > 0 ? '' : 'All wallets'}
          searchable
          clearable
          clearButtonProps={{ 'aria-label': 'Clear the wallets' }}
          data={(wallets.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          {...form.getInputProps('walletIds')}
        />
        <TextInput label="Description" maxLength={200} {...form.getInputProps('description')} />
        <Refused error={saving.refusal} />
        {notice}
        <Actions onCancel={onCancel}>
          <Button type="submit" loading={saving.isPending}>
            {submit}
          </Button>
        </Actions>
      </Stack>
    </form>
  );
}
