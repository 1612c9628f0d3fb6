import { Button, Modal, Stack, Text } from '@mantine/core';
import { Code } from './bits.js';

/** A signing secret, the one time it is shown. */
export function SecretOnce({ secret, onClose }: { secret: string | null; onClose: () => void }) {
  return (
    <Modal
      opened={secret !== null}
      onClose={onClose}
      title={<Text fw={650}>Signing secret</Text>}
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack>
        <Text size="sm">
          This is shown once. Keep it where your server finds it: with it, a Standard Webhooks library checks
          that a delivery is ours.
        </Text>
        <Code value={secret ?? ''} name="signing secret" />
        <Button onClick={onClose}>I have kept it</Button>
      </Stack>
    </Modal>
  );
}
