import '../../styles/fields.css';
import { Button, Stack, Switch, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { rotateSecret } from '../../api/webhooks.js';
import { Actions } from '../../parts/forms/actions.js';
import { Refused } from '../../parts/loading/failure.js';
import { holdUntilStored, signingSecretOf } from '../../session/secrets.js';
import { Modal } from '../../parts/display/windows.js';

interface Props {
  endpointId: string;
  opened: boolean;
  onClose: () => void;
}

export function RotateSecret({ endpointId, opened, onClose }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title="Rotate the signing secret?">
      <Form endpointId={endpointId} onDone={onClose} />
    </Modal>
  );
}

function Form({ endpointId, onDone }: { endpointId: string; onDone: () => void }) {
  const [revokePrevious, setDropOld] = useState(false);
  const rotate = useMutation({
    mutationFn: () => rotateSecret(endpointId, revokePrevious),
    onSuccess: ({ secret }) => {
      holdUntilStored(signingSecretOf(endpointId), secret);
      onDone();
    },
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
      <Actions onCancel={onDone}>
        <Button loading={rotate.isPending} onClick={() => rotate.mutate()}>
          Rotate secret
        </Button>
      </Actions>
    </Stack>
  );
}
