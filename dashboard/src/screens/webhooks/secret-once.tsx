import { Button, Modal, Stack, Text } from '@mantine/core';
import { Code } from '../../parts/copy.js';

/** A signing secret, the one time it is shown. */
export function SecretOnce({ secret, onClose }: { secret: string | null; onClose: () => void }) {
  return (
    <Modal opened={secret !== null} onClose={onClose} title="Signing secret" closeOnClickOutside={false}>
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
