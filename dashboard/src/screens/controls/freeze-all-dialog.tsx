import { Button, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { suspendAll } from '../../api/calls.js';
import { useResumeWallets } from './use-resume-wallets.js';
import { Actions } from '../../parts/forms/actions.js';
import { Refused } from '../../parts/loading/failure.js';
import { refused, toast } from '../../parts/toasts/toasts.js';
import { pluralize } from '../../text/pluralize.js';
import { Modal } from '../../parts/display/windows.js';

interface Props {
  active: number;
  opened: boolean;
  onClose: () => void;
}

/** Asks once before every wallet is stopped. */
export default function FreezeAllDialog({ active, opened, onClose }: Props) {
  const client = useQueryClient();
  const { mutate: resume } = useResumeWallets({ onError: refused });
  const freezing = useMutation({
    mutationFn: suspendAll,
    onSuccess: ({ suspended, walletIds }) => {
      onClose();
      const message = `${pluralize(suspended, 'wallet')} frozen`;
      // Those that were frozen before stay so.
      void toast({ tone: 'info', message, ...(suspended > 0 && { undo: () => resume(walletIds) }) });
    },
    onSettled: () => void client.invalidateQueries(),
  });
  // What failed before is not said of the next try.
  const leave = () => {
    freezing.reset();
    onClose();
  };
  return (
    <Modal opened={opened} onClose={leave} title="Freeze all wallets?">
      <Stack>
        <Text size="sm">
          {pluralize(active, 'wallet')} will be frozen at once and pay nothing. Money still comes in, and you
          can withdraw it. Resume them here when you’re ready.
        </Text>
        <Refused error={freezing.error} />
        <Actions onCancel={leave}>
          <Button color="red" data-autofocus loading={freezing.isPending} onClick={() => freezing.mutate()}>
            Freeze all now
          </Button>
        </Actions>
      </Stack>
    </Modal>
  );
}
