import { Button, Modal, Stack, Switch, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { rotateSecret } from '../../api/calls.js';
import { Refused } from '../../parts/failure.js';
import { SecretOnce } from './secret-once.js';

export function RotateSecret({ endpointId }: { endpointId: string }) {
  const [isOpen, dialog] = useDisclosure();
  const [revokePrevious, setDropOld] = useState(false);
  const rotate = useMutation({
    mutationFn: () => rotateSecret(endpointId, revokePrevious),
    onSuccess: dialog.close,
  });
  return (
    <>
      <Button variant="default" onClick={dialog.open}>
        Rotate secret
      </Button>
      <Modal opened={isOpen} onClose={dialog.close} title="Make a new secret?">
        <Stack>
          <Text size="sm">
            For 24 hours the old secret signs beside the new one, so that you can change over in peace.
          </Text>
          <Switch
            withThumbIndicator={false}
            label="The old one has leaked: stop using it at once"
            checked={revokePrevious}
            onChange={(event) => setDropOld(event.currentTarget.checked)}
          />
          <Refused error={rotate.error} />
          <Button loading={rotate.isPending} onClick={() => rotate.mutate()}>
            Make a new secret
          </Button>
        </Stack>
      </Modal>
      <SecretOnce secret={rotate.data?.secret ?? null} onClose={rotate.reset} />
    </>
  );
}
