import { Button, SimpleGrid, Stack, Switch, TextInput } from '@mantine/core';
import type { Wallet } from '../../api/types.js';
import { koboTyped } from '../../money/money.js';
import { useKeptForm } from '../../parts/state/kept-form.js';
import { Actions } from '../../parts/forms/actions.js';
import { DateField } from '../../parts/forms/date-field.js';
import { MoneyInput } from '../../parts/money/money-input.js';
import { Refused } from '../../parts/loading/failure.js';
import { useSending } from '../../parts/forms/sending.js';
import { dateInput, endOfDay } from '../../text/time.js';
import { amountProblem, nameProblem, optionalExpiryProblem } from '../../text/validation.js';
import { KeyAlike } from './key-alike.js';
import { LIMIT_VALIDATION, LimitFields, limitsOf, type LimitsTyped, NO_LIMITS } from './limit-fields.js';
import { useNewKey } from './use-new-key.js';

interface Typed extends LimitsTyped {
  name: string;
  purpose: string;
  expiresAt: string;
  secondApprovalAbove: string;
  requireRunId: boolean;
  requireRationale: boolean;
}

export function NewKey({ wallet, onDone }: { wallet: Wallet; onDone: () => void }) {
  const { found, make } = useNewKey(wallet.id);
  const form = useKeptForm<Typed>(`new key of ${wallet.id}`, {
    initialValues: {
      name: '',
      purpose: '',
      expiresAt: '',
      secondApprovalAbove: '',
      requireRunId: false,
      requireRationale: false,
      ...NO_LIMITS,
    },
    validate: {
      ...LIMIT_VALIDATION,
      name: nameProblem,
      expiresAt: (value) => optionalExpiryProblem(value),
      secondApprovalAbove: (value) => (value.trim() ? amountProblem(value) : null),
    },
  });
  const creating = useSending(
    form,
    ({ name, purpose, expiresAt, secondApprovalAbove, requireRunId, requireRationale, ...limits }) =>
      make({
        name: name.trim(),
        purpose: purpose.trim() || null,
        expiresAt: endOfDay(expiresAt)?.toISOString() ?? null,
        secondApprovalAbove: koboTyped(secondApprovalAbove),
        limits: limitsOf(limits),
        requireRunId: requireRunId || null,
        requireRationale: requireRationale || null,
      }),
    { onSuccess: (made) => made && onDone() },
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
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          <TextInput
            label="Purpose"
            description="Optional; shown with its payments"
            placeholder="Groceries for November"
            maxLength={200}
            {...form.getInputProps('purpose')}
          />
          <DateField
            label="Expires on"
            description="Optional; until that day ends"
            min={dateInput(0)}
            {...form.getInputProps('expiresAt')}
          />
        </SimpleGrid>
        <MoneyInput
          label="Two members above"
          description="Optional; its payments that wait for approval take two above it. The lower of key and wallet counts"
          {...form.getInputProps('secondApprovalAbove')}
        />
        <Switch
          withThumbIndicator={false}
          label="Require a run ID"
          description="Each payment says which run of the agent it belongs to"
          {...form.getInputProps('requireRunId', { type: 'checkbox' })}
        />
        <Switch
          withThumbIndicator={false}
          label="Require a rationale"
          description="Each payment says why the agent made it"
          {...form.getInputProps('requireRationale', { type: 'checkbox' })}
        />
        <LimitFields form={form} wallet={wallet} />
        <Refused error={creating.refusal} />
        {found && <KeyAlike apiKey={found} again="Create key" />}
        <Actions onCancel={onDone}>
          <Button type="submit" loading={creating.isPending}>
            Create key
          </Button>
        </Actions>
      </Stack>
    </form>
  );
}
