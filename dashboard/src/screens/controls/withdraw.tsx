import '../../styles/fields.css';
import { Button, Stack, Switch, Text, TextInput } from '@mantine/core';
import { withdraw } from '../../api/calls.js';
import type { Wallet } from '../../api/types.js';
import { koboTyped, plainNaira, spendable } from '../../money/money.js';
import { useKeptForm } from '../../parts/state/kept-form.js';
import { Actions } from '../../parts/forms/actions.js';
import { Refused } from '../../parts/loading/failure.js';
import { MoneyInput } from '../../parts/money/money-input.js';
import { Money } from '../../parts/money/money.js';
import { useSending } from '../../parts/forms/sending.js';
import { toast } from '../../parts/toasts/toasts.js';
import { useOnce } from '../../parts/forms/use-once.js';
import { amountProblem } from '../../text/validation.js';
import { ACCOUNT_VALIDATION, AccountFields, type AccountTyped } from './account-fields.js';
import { useRefresh } from './use-refresh.js';
import { Modal } from '../../parts/display/windows.js';

interface Props {
  wallet: Wallet;
  opened: boolean;
  onClose: () => void;
}

/** Takes money out of the wallet to a bank account. */
export function Withdraw({ wallet, opened, onClose }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title="Withdraw">
      <Form wallet={wallet} onDone={onClose} />
    </Modal>
  );
}

interface Typed extends AccountTyped {
  amount: string;
  isAll: boolean;
  narration: string;
}

function Form({ wallet, onDone }: { wallet: Wallet; onDone: () => void }) {
  const refresh = useRefresh(wallet.id);
  const available = spendable(wallet);
  const once = useOnce(`unanswered withdrawal from ${wallet.id}`);
  const form = useKeptForm<Typed>(`withdrawal from ${wallet.id}`, {
    initialValues: { amount: '', isAll: false, bankCode: null, accountNumber: '', narration: '' },
    validate: {
      ...ACCOUNT_VALIDATION,
      amount: (value, { isAll }) => {
        if (isAll) return null;
        const problem = amountProblem(value);
        if (problem) return problem;
        return (koboTyped(value) ?? 0) > available ? `At most ${plainNaira(available)}` : null;
      },
    },
  });
  const sending = useSending(
    form,
    ({ amount, isAll, bankCode, accountNumber, narration }) =>
      once(
        {
          amount: isAll ? ('all' as const) : (koboTyped(amount) ?? 0),
          bankCode: bankCode ?? '',
          accountNumber: accountNumber.trim(),
          narration: narration.trim() || null,
        },
        (key, body) => withdraw(wallet.id, key, body),
      ),
    {
      fieldOf: { INSUFFICIENT_FUNDS: 'amount' },
      onSuccess: ({ withdrawal }) => {
        void toast({ tone: 'info', message: `${plainNaira(withdrawal.amount)} is on its way to the bank` });
        refresh();
        onDone();
      },
    },
  );
  return (
    <form noValidate onSubmit={sending.submit}>
      <Stack>
        <Text size="sm" c="dimmed">
          Available: <Money kobo={available} bold />. The wallet’s limits don’t apply to you.
        </Text>
        <MoneyInput
          label="Amount"
          data-autofocus
          required
          disabled={form.values.isAll}
          {...form.getInputProps('amount')}
        />
        <Switch
          withThumbIndicator={false}
          label="Everything in the wallet"
          {...form.getInputProps('isAll', { type: 'checkbox' })}
        />
        <AccountFields form={form} />
        <TextInput
          label="Narration"
          description="Optional; the recipient sees it"
          maxLength={200}
          {...form.getInputProps('narration')}
        />
        <Refused error={sending.refusal} />
        <Actions onCancel={onDone}>
          <Button type="submit" loading={sending.isPending}>
            Withdraw
          </Button>
        </Actions>
      </Stack>
    </form>
  );
}
