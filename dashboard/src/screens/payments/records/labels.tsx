import { Autocomplete, Button, Group, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { queryKeys } from '../../../api/query-keys.js';
import { setLabels, usedLabels } from '../../../api/records.js';
import type { TransactionDetails } from '../../../api/types.js';
import { useSending } from '../../../parts/forms/sending.js';
import { Refused } from '../../../parts/loading/failure.js';
import { Allowed } from '../../../parts/session/allowed.js';
import { useMay } from '../../../session/session.js';

/** Memo, category and cost centre. */
export function Labels({ payment }: { payment: TransactionDetails }) {
  const client = useQueryClient();
  const isAllowed = useMay('payments.annotate');
  const { data: used } = useQuery({ queryKey: queryKeys.paymentLabels, queryFn: usedLabels });
  const place = { walletId: payment.walletId, transactionId: payment.id };
  const form = useForm({
    initialValues: {
      memo: payment.memo ?? '',
      category: payment.category ?? '',
      costCentre: payment.costCentre ?? '',
    },
  });
  const saving = useSending(
    form,
    ({ memo, category, costCentre }) =>
      setLabels(place, {
        memo: memo.trim() || null,
        category: category.trim() || null,
        costCentre: costCentre.trim() || null,
      }),
    {
      onSuccess: (changed) => {
        const { memo = '', category = '', costCentre = '' } = changed;
        form.setInitialValues({ memo, category, costCentre });
        form.setValues({ memo, category, costCentre });
        client.setQueryData(queryKeys.payment(payment.walletId, payment.id), changed);
        for (const queryKey of [queryKeys.paymentLabels, queryKeys.payments(), queryKeys.spend()])
          void client.invalidateQueries({ queryKey });
      },
    },
  );
  return (
    <form noValidate onSubmit={saving.submit}>
      <Stack gap="xs">
        <TextInput
          size="xs"
          label="Memo"
          maxLength={500}
          disabled={!isAllowed}
          {...form.getInputProps('memo')}
        />
        <SimpleGrid cols={2} spacing="xs">
          <Autocomplete
            size="xs"
            label="Category"
            maxLength={60}
            disabled={!isAllowed}
            data={used?.categories ?? []}
            {...form.getInputProps('category')}
          />
          <Autocomplete
            size="xs"
            label="Cost centre"
            maxLength={60}
            disabled={!isAllowed}
            data={used?.costCentres ?? []}
            {...form.getInputProps('costCentre')}
          />
        </SimpleGrid>
        <Refused error={saving.refusal} />
        <Group>
          <Allowed act="payments.annotate">
            <Button
              type="submit"
              size="xs"
              variant="default"
              disabled={!form.isDirty()}
              loading={saving.isPending}
            >
              Save
            </Button>
          </Allowed>
        </Group>
      </Stack>
    </form>
  );
}
