import { Button, Checkbox, ScrollArea, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { WalletName } from '../../api/types.js';
import { Actions } from '../../parts/actions.js';
import { Refused } from '../../parts/failure.js';
import { Modal } from '../../parts/windows.js';
import { pluralize } from '../../pluralize.js';
import { useResumeWallets } from './use-resume-wallets.js';

interface Props {
  frozen: readonly WalletName[];
  opened: boolean;
  onClose: () => void;
}

/** Lets the frozen wallets pay again, but for those that are left out. */
export default function ResumeWalletsDialog({ frozen, opened, onClose }: Props) {
  const [leftOut, setLeftOut] = useState<readonly string[]>([]);
  const chosen = frozen.map(({ id }) => id).filter((id) => !leftOut.includes(id));
  const resuming = useResumeWallets({ onSuccess: () => leave() });
  const leave = () => {
    resuming.reset();
    setLeftOut([]);
    onClose();
  };
  return (
    <Modal opened={opened} onClose={leave} title="Resume wallets">
      <Stack>
        <Text size="sm">
          They pay again at once, within their limits. Leave out a wallet that you froze for a reason.
        </Text>
        <ScrollArea.Autosize mah={320} type="auto">
          <Checkbox.Group
            aria-label="Frozen wallets"
            value={chosen}
            onChange={(ids) => setLeftOut(frozen.map(({ id }) => id).filter((id) => !ids.includes(id)))}
          >
            <Stack gap="xs" p={2}>
              {frozen.map(({ id, name }) => (
                <Checkbox key={id} value={id} label={name} classNames={{ label: 'wrap' }} />
              ))}
            </Stack>
          </Checkbox.Group>
        </ScrollArea.Autosize>
        <Refused error={resuming.error} />
        <Actions onCancel={leave}>
          <Button
            loading={resuming.isPending}
            disabled={chosen.length === 0}
            onClick={() => resuming.mutate(chosen)}
          >
            Resume {pluralize(chosen.length, 'wallet')}
          </Button>
        </Actions>
      </Stack>
    </Modal>
  );
}
