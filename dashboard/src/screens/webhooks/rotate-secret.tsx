import { Button, Stack, Switch, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { rotateSecret } from '../../api/webhooks.js';
import { Refused } from '../../parts/failure.js';
import { SecretOnce } from './secret-once.js';
import { Modal } from '../../parts/windows.js';

interface Props {
  endpointId: string;
  opened: boolean;
  onClose: () => void;
}

export function RotateSecret({ endpointId, opened, onClose }: Props) {
  const [revokePrevious, setDropOld] = useState(false);
  const rotate = useMutation({
    mutationFn: () => rotateSecret(endpointId, revokePrevious),
    onSuccess: onClose,
  });
  return (
    <>
      <Modal opened={opened} onClose={onClose} title="Rotate the signing secret?">
        <Stack>
          <Text size="sm">
            For 24 hours deliveries are signed with both secrets, so you can switch without missing one.
          </Text>
          <Switch
            withThumbIndicator={false}
            label="The old secret leaked: stop signing with it now"
            checked={revokePrevious}
            onChange={(event) => setDropOld(event.currentTarget.checked)}
          />
          <Refused error={rotate.error} />
          <Button
            loading={rotate.isPending}
            onClick={() => rotate.mutate()}
            style={{ alignSelf: 'flex-start' }}
          >
            Rotate secret
          </Button>
        </Stack>
      </Modal>
      <SecretOnce secret={rotate.data?.secret ?? null} onClose={rotate.reset} />
    </>
  );
}
