import { Button, Modal, NativeSelect, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { changeWallet } from '../../api/calls.js';
import type { Wallet } from '../../api/types.js';
import { Card } from '../../parts/card.js';
import { Refused } from '../../parts/failure.js';
import { useSending } from '../../parts/sending.js';
import { toast } from '../../parts/toasts.js';
import { duplicateGuardInWords, DUPLICATE_GUARDS } from '../../safeguards.js';
import { useRefresh } from './use-refresh.js';

/** What an owner can switch on beyond the limits. */
export function Safeguards({ wallet }: { wallet: Wallet }) {
  const [isOpen, dialog] = useDisclosure();
  return (
    <Card
      title="Safeguards"
      aside={
        wallet.status !== 'CLOSED' && (
          <Button size="xs" variant="default" onClick={dialog.open} aria-label="Edit safeguards">
            Edit
          </Button>
        )
      }
    >
      <dl className="facts">
        <dt>Duplicate guard</dt>
        <dd>{duplicateGuardInWords(wallet.duplicateGuardMinutes)}</dd>
      </dl>
      <Modal opened={isOpen} onClose={dialog.close} title="Edit safeguards">
        <Form wallet={wallet} onDone={dialog.close} />
      </Modal>
    </Card>
  );
}

function Form({ wallet, onDone }: { wallet: Wallet; onDone: () => void }) {
  const refresh = useRefresh(wallet.id);
  const form = useForm({
    initialValues: { duplicateGuardMinutes: wallet.duplicateGuardMinutes?.toString() ?? '' },
  });
  const saving = useSending(
    form,
    ({ duplicateGuardMinutes }) =>
      changeWallet(wallet.id, {
        duplicateGuardMinutes: duplicateGuardMinutes === '' ? null : Number(duplicateGuardMinutes),
        version: wallet.version,
      }),
    {
      onSuccess: () => {
        void toast({ message: 'Safeguards saved. They hold from the next payment on.' });
        refresh();
        onDone();
      },
    },
  );
  return (
    <form noValidate onSubmit={saving.submit}>
      <Stack>
        <NativeSelect
          label="Duplicate guard"
          description="Refuses the same amount to the same account by the same key, unless the agent confirms a second purchase"
          data={DUPLICATE_GUARDS.map((value) => ({
            value: value === undefined ? '' : String(value),
            label: duplicateGuardInWords(value),
          }))}
          {...form.getInputProps('duplicateGuardMinutes')}
        />
        <Text size="xs" c="dimmed">
          Agents often ask twice for one purchase after an error.
        </Text>
        <Refused error={saving.refusal} />
        <Button type="submit" loading={saving.isPending}>
          Save safeguards
        </Button>
      </Stack>
    </form>
  );
}
