import { Button, Stack, Switch, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { rotateSecret } from '../../api/webhooks.js';
import { Actions } from '../../parts/actions.js';
import { Refused } from '../../parts/failure.js';
import { SecretOnce } from './secret-once.js';
import { Modal } from '../../parts/windows.js';

interface Props {
  endpointId: string;
  opened: boolean;
  onClose: () => void;
}

export function RotateSecret({ endpointId, opened, onClose }: Props) {
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <>
      <Modal opened={opened} onClose={onClose} title="Rotate the signing secret?">
        <Form
          endpointId={endpointId}
          onCancel={onClose}
          onRotated={(fresh) => {
            setSecret(fresh);
            onClose();
          }}
        />
      </Modal>
      <SecretOnce secret={secret} onClose={() => setSecret(null)} />
    </>
  );
}

interface FormProps {
  endpointId: string;
  onCancel: () => void;
  onRotated: (secret: string) => void;
}

function Form({ endpointId, onCancel, onRotated }: FormProps) {
  const [revokePrevious, setDropOld] = useState(false);
  const rotate = useMutation({
    mutationFn: () => rotateSecret(endpointId, revokePrevious),
    onSuccess: ({ secret }) => onRotated(secret),
  });
  return (
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
      <Actions onCancel={onCancel}>
        <Button loading={rotate.isPending} onClick={() => rotate.mutate()}>
          Rotate secret
        </Button>
      </Actions>
    </Stack>
  );
}
