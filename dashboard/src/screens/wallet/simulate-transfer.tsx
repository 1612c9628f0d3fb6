import { Button, Stack, Text, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { sendMoney } from '../../api/calls.js';
import type { VirtualAccount } from '../../api/types.js';
import { koboTyped, naira } from '../../money/money.js';
import { Refused } from '../../parts/loading/failure.js';
import { MoneyInput } from '../../parts/money/money-input.js';
import { useSending } from '../../parts/forms/sending.js';
import { amountProblem } from '../../text/validation.js';
import { useRefresh } from '../controls/use-refresh.js';
import { Allowed } from '../../parts/session/allowed.js';

/** Simulates a transfer to the wallet's account, as the sandbox bank offers it. */
export function SimulateTransfer({ walletId, account }: { walletId: string; account: VirtualAccount }) {
  const form = useForm({ initialValues: { amount: '10,000.00' }, validate: { amount: amountProblem } });
  const sending = useSending(
    form,
    async ({ amount }) => {
      const { data } = await sendMoney({
        accountNumber: account.accountNumber,
        amount: koboTyped(amount) ?? 0,
      });
      return data.amount;
    },
    { onSuccess: useRefresh(walletId) },
  );
  return (
    <section aria-label="Simulate a transfer">
      <form noValidate onSubmit={sending.submit}>
        <Stack gap="sm">
          <Title order={2}>Simulate a transfer</Title>
          <Text size="sm" c="dimmed">
            As if a bank transfer reached {account.accountNumber}.
          </Text>
          <MoneyInput label="Amount" {...form.getInputProps('amount')} />
          <Allowed act="sandbox.fund">
            <Button type="submit" variant="default" loading={sending.isPending}>
              Send
            </Button>
          </Allowed>
          <div role="status" className="outcome">
            {sending.isSuccess && (
              <Text size="sm">{naira(sending.data)} sent. It’s credited in a moment.</Text>
            )}
          </div>
          <Refused error={sending.refusal} />
        </Stack>
      </form>
    </section>
  );
}
