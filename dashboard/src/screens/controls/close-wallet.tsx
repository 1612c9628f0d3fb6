import { Button, Stack, Text } from '@mantine/core';
import { closeWallet } from '../../api/calls.js';
import type { Wallet } from '../../api/types.js';
import { useKeptForm } from '../../parts/state/kept-form.js';
import { Actions } from '../../parts/forms/actions.js';
import { Refused } from '../../parts/loading/failure.js';
import { Money } from '../../parts/money/money.js';
import { useSending } from '../../parts/forms/sending.js';
import { toast } from '../../parts/toasts/toasts.js';
import { ACCOUNT_VALIDATION, AccountFields, type AccountTyped } from './account-fields.js';
import { useRefresh } from './use-refresh.js';
import { Modal } from '../../parts/display/windows.js';

interface Props {
  wallet: Wallet;
  opened: boolean;
  onClose: () => void;
}

/** Closes the wallet for good; what is in it is paid out. */
export function CloseWallet({ wallet, opened, onClose }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title="Close this wallet?">
      <Form wallet={wallet} onDone={onClose} />
    </Modal>
  );
}

function Form({ wallet, onDone }: { wallet: Wallet; onDone: () => void }) {
  const refresh = useRefresh(wallet.id);
  const hasMoney = wallet.balance > 0;
  const { held = 0 } = wallet;
  const form = useKeptForm<AccountTyped>(`closing of ${wallet.id}`, {
    initialValues: { bankCode: null, accountNumber: '' },
    ...(hasMoney && { validate: ACCOUNT_VALIDATION }),
  });
  const closing = useSending(
    form,
    ({ bankCode, accountNumber }) =>
      closeWallet(
        wallet.id,
        hasMoney ? { bankCode: bankCode ?? '', accountNumber: accountNumber.trim() } : null,
      ),
    {
      onSuccess: () => {
        void toast({ tone: 'info', message: `${wallet.name} is closed` });
        refresh();
        onDone();
      },
    },
  );
  return (
    <form noValidate onSubmit={closing.submit}>
      <Stack>
        <Text size="sm">
          It can never pay again, and its keys stop working. Its history stays. This can’t be undone.
        </Text>
        {held > 0 && (
          <Text size="sm">
            <Money kobo={held} bold /> is held for approval: those payments are denied.
          </Text>
        )}
        {hasMoney && (
          <>
            <Text size="sm">
              <Money kobo={wallet.balance} bold /> in it is paid out to:
            </Text>
            <AccountFields form={form} />
          </>
        )}
        <Refused error={closing.refusal} />
        <Actions onCancel={onDone}>
          <Button type="submit" color="red" loading={closing.isPending}>
            Close wallet
          </Button>
        </Actions>
      </Stack>
    </form>
  );
}
