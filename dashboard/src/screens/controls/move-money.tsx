import { Button, Select, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { moveMoney } from '../../api/calls.js';
import { walletNamesQuery } from '../../api/wallet-list.js';
import type { Wallet, WalletName } from '../../api/types.js';
import { koboTyped, plainNaira, spendable } from '../../money/money.js';
import { useKeptForm } from '../../parts/state/kept-form.js';
import { Actions } from '../../parts/forms/actions.js';
import { Answer } from '../../parts/loading/answer.js';
import { Refused } from '../../parts/loading/failure.js';
import { BlocksLoading } from '../../parts/loading/loading.js';
import { MoneyInput } from '../../parts/money/money-input.js';
import { Money } from '../../parts/money/money.js';
import { useSending } from '../../parts/forms/sending.js';
import { toast } from '../../parts/toasts/toasts.js';
import { useOnce } from '../../parts/forms/use-once.js';
import { amountProblem } from '../../text/validation.js';
import { useRefresh } from './use-refresh.js';
import { Modal } from '../../parts/display/windows.js';

interface Props {
  wallet: Wallet;
  opened: boolean;
  onClose: () => void;
}

/** Moves money to another wallet of the same owner. */
export function MoveMoney({ wallet, opened, onClose }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title="Move money">
      <ToAnother wallet={wallet} onDone={onClose} />
    </Modal>
  );
}

interface FormProps {
  wallet: Wallet;
  onDone: () => void;
}

/** There is nowhere to move to only once the wallets are known. */
function ToAnother({ wallet, onDone }: FormProps) {
  const query = useQuery(walletNamesQuery);
  return (
    <Answer of={query} what="Your wallets" loading={<BlocksLoading heights={[20, 60, 60, 80, 36]} />}>
      {(wallets) => {
        const others = wallets.filter(({ id, status }) => id !== wallet.id && status !== 'CLOSED');
        if (others.length === 0) return <Text size="sm">Create another wallet first.</Text>;
        return <Form wallet={wallet} others={others} onDone={onDone} />;
      }}
    </Answer>
  );
}

function Form({ wallet, others, onDone }: FormProps & { others: readonly WalletName[] }) {
  const refresh = useRefresh(wallet.id);
  const available = spendable(wallet);
  const once = useOnce(`unanswered transfer from ${wallet.id}`);
  const form = useKeptForm(`transfer from ${wallet.id}`, {
    initialValues: { toWalletId: null as string | null, amount: '', narration: '' },
    validate: {
      toWalletId: (value) => (value ? null : 'Choose a wallet'),
      amount: (value) =>
        amountProblem(value) ??
        ((koboTyped(value) ?? 0) > available ? `At most ${plainNaira(available)}` : null),
    },
  });
  const sending = useSending(
    form,
    ({ toWalletId, amount, narration }) =>
      once(
        {
          toWalletId: toWalletId ?? '',
          amount: koboTyped(amount) ?? 0,
          narration: narration.trim() || null,
        },
        (key, body) => moveMoney(wallet.id, key, body),
      ),
    {
      fieldOf: { INSUFFICIENT_FUNDS: 'amount' },
      onSuccess: ({ transfer }) => {
        const to = others.find(({ id }) => id === transfer.toWalletId)?.name ?? 'the other wallet';
        void toast({ message: `${plainNaira(transfer.amount)} moved to ${to}` });
        refresh();
        onDone();
      },
    },
  );
  return (
    <form noValidate onSubmit={sending.submit}>
      <Stack>
        <Text size="sm" c="dimmed">
          Available: <Money kobo={available} bold />
        </Text>
        <Select
          label="To wallet"
          placeholder="Choose a wallet"
          searchable
          required
          allowDeselect={false}
          data={others.map(({ id, name }) => ({ value: id, label: name }))}
          {...form.getInputProps('toWalletId')}
        />
        <MoneyInput label="Amount" required {...form.getInputProps('amount')} />
        <TextInput
          label="Narration"
          description="Optional; shown in both ledgers"
          maxLength={200}
          {...form.getInputProps('narration')}
        />
        <Refused error={sending.refusal} />
        <Actions onCancel={onDone}>
          <Button type="submit" loading={sending.isPending}>
            Move
          </Button>
        </Actions>
      </Stack>
    </form>
  );
}
