import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, type UseQueryResult, useQueryClient } from '@tanstack/react-query';
import { Link } from 'react-router';
import { setLowBalanceThreshold } from '../../api/calls.js';
import { queryKeys } from '../../api/query-keys.js';
import { naira, koboTyped, NAIRA_PROBLEM, typedNaira } from '../../money/money.js';
import { useKeptState } from '../../parts/state/kept.js';
import { useKeptForm } from '../../parts/state/kept-form.js';
import { Answer } from '../../parts/loading/answer.js';
import { Card } from '../../parts/display/card.js';
import { Refused } from '../../parts/loading/failure.js';
import { MoneyInput } from '../../parts/money/money-input.js';
import { Money } from '../../parts/money/money.js';
import { useSending } from '../../parts/forms/sending.js';
import { refused, toast } from '../../parts/toasts/toasts.js';
import { useRefresh } from '../controls/use-refresh.js';
import { Allowed } from '../../parts/session/allowed.js';

interface Props {
  walletId: string;
  threshold: UseQueryResult<number | null>;
}

export function LowBalanceCard({ walletId, threshold }: Props) {
  const [isEditing, setIsEditing] = useKeptState(`editing the threshold of ${walletId}`, false);
  return (
    <Card title="Low-balance alert">
      <Stack gap="sm">
        <Answer of={threshold} what="The low-balance alert" loading={null}>
          {(kobo) =>
            kobo === null || isEditing ? (
              <ThresholdForm walletId={walletId} threshold={kobo} onDone={() => setIsEditing(false)} />
            ) : (
              <Threshold walletId={walletId} threshold={kobo} onEdit={() => setIsEditing(true)} />
            )
          }
        </Answer>
        <Text size="xs" c="dimmed">
          When a payment takes the balance below this amount, <code>wallet.low_balance</code> is sent to your{' '}
          <Link to="/webhooks">webhooks</Link>.
        </Text>
      </Stack>
    </Card>
  );
}

function useSaved(walletId: string) {
  const client = useQueryClient();
  const refresh = useRefresh(walletId);
  return (kobo: number | null) => {
    client.setQueryData(queryKeys.lowBalance(walletId), kobo);
    // The wallet has another version now, which its next change names.
    refresh();
  };
}

function Threshold({
  walletId,
  threshold,
  onEdit,
}: {
  walletId: string;
  threshold: number;
  onEdit: () => void;
}) {
  const save = useSaved(walletId);
  const removing = useMutation({
    mutationFn: () => setLowBalanceThreshold(walletId, null),
    onSuccess: (kobo) => {
      save(kobo);
      void toast({
        tone: 'info',
        message: `Alert below ${naira(threshold)} removed`,
        undo: () => void setLowBalanceThreshold(walletId, threshold).then(save, refused),
      });
    },
  });
  return (
    <>
      <Text size="sm">
        Alert me below <Money kobo={threshold} bold />
      </Text>
      <Refused error={removing.error} />
      <Group gap="xs">
        <Allowed act="wallets.change">
          <Button size="xs" variant="default" onClick={onEdit}>
            Edit
          </Button>
        </Allowed>
        <Allowed act="wallets.change">
          <Button size="xs" variant="default" loading={removing.isPending} onClick={() => removing.mutate()}>
            Remove
          </Button>
        </Allowed>
      </Group>
    </>
  );
}

function ThresholdForm({
  walletId,
  threshold,
  onDone,
}: {
  walletId: string;
  threshold: number | null;
  onDone: () => void;
}) {
  const save = useSaved(walletId);
  const form = useKeptForm(`threshold of ${walletId}`, {
    initialValues: { threshold: typedNaira(threshold) },
    validate: { threshold: (value) => (koboTyped(value) === null ? NAIRA_PROBLEM : null) },
  });
  const saving = useSending(form, (typed) => setLowBalanceThreshold(walletId, koboTyped(typed.threshold)), {
    onSuccess: (kobo) => {
      save(kobo);
      onDone();
    },
  });
  return (
    <form noValidate onSubmit={saving.submit}>
      <Stack gap="sm">
        <MoneyInput
          label="Alert me below"
          placeholder="10,000.00"
          autoFocus={threshold !== null}
          {...form.getInputProps('threshold')}
        />
        <Refused error={saving.refusal} />
        <Group gap="xs">
          <Allowed act="wallets.change">
            <Button size="xs" type="submit" variant="default" loading={saving.isPending}>
              Save
            </Button>
          </Allowed>
          {threshold !== null && (
            <Button size="xs" variant="subtle" color="gray" onClick={onDone}>
              Cancel
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}
