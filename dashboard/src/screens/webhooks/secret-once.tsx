import { Button, Modal, Stack, Text } from '@mantine/core';
import { useEffect } from 'react';
import { Code } from '../../parts/copy.js';
import { holdUntilStored, markStored } from '../../secrets.js';

/** A signing secret, the one time it is shown. */
export function SecretOnce({ secret, onClose }: { secret: string | null; onClose: () => void }) {
  // A reload asks first.
  useEffect(() => {
    if (secret === null) return;
    holdUntilStored('signing-secret', secret);
    return () => markStored('signing-secret');
  }, [secret]);
  return (
    <Modal
      opened={secret !== null}
      onClose={onClose}
      title="Signing secret"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack>
        <Text size="sm">
          Store it in your secrets manager; you won’t see it again. A Standard Webhooks library verifies
          deliveries with it.
        </Text>
        <Code value={secret ?? ''} name="signing secret" />
        <Button onClick={onClose}>I’ve stored it</Button>
      </Stack>
    </Modal>
  );
}
