import '../../styles/fields.css';
import { Button, Checkbox, ScrollArea, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { WalletName } from '../../api/types.js';
import { Actions } from '../../parts/forms/actions.js';
import { Refused } from '../../parts/loading/failure.js';
import { Modal } from '../../parts/display/windows.js';
import { pluralize } from '../../text/pluralize.js';
import { useResumeWallets } from './use-resume-wallets.js';

interface Props {
  frozen: readonly WalletName[];
  opened: boolean;
  onClose: () => void;
}

/** Lets frozen wallets pay again: those that were frozen all at once, unless the owner chooses others. */
export default function ResumeWalletsDialog({ frozen, opened, onClose }: Props) {
  const [choice, setChoice] = useState<readonly string[] | null>(null);
  const isChosen = ({ id, suspendedAllAt }: WalletName) =>
    choice ? choice.includes(id) : suspendedAllAt !== undefined;
  const chosen = frozen.filter(isChosen).map(({ id }) => id);
  const resuming = useResumeWallets({ onSuccess: () => leave() });
  const leave = () => {
    resuming.reset();
    setChoice(null);
    onClose();
  };
  return (
    <Modal opened={opened} onClose={leave} title="Resume wallets">
      <Stack>
        <Text size="sm">
          They pay again at once, within their limits. Those that “Freeze all” froze are selected; the others
          were frozen one by one.
        </Text>
        <ScrollArea.Autosize mah={320} type="auto">
          <Checkbox.Group aria-label="Frozen wallets" value={chosen} onChange={setChoice}>
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
