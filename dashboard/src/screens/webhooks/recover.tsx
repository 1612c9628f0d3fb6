import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { recover } from '../../api/webhooks.js';
import type { Endpoint } from '../../api/types.js';
import { Refused } from '../../parts/failure.js';
import { Modal } from '../../parts/windows.js';
import { grouped } from '../../money.js';

/** Sends again what failed, as after an outage of the owner's server. */
interface Props {
  endpoint: Endpoint;
  opened: boolean;
  onClose: () => void;
  onDone: () => void;
}

export function Recover({ endpoint, opened, onClose, onDone }: Props) {
  const [since, setSince] = useState('');
  const again = useMutation({
    mutationFn: () => recover(endpoint.id, new Date(since).toISOString()),
    onSuccess: onDone,
  });
  return (
    <Modal opened={opened} onClose={onClose} title="Resend failed deliveries">
      <Stack>
        <Text size="sm">All deliveries that failed since then are sent again, oldest first.</Text>
        <TextInput
          type="datetime-local"
          label="Since"
          required
          value={since}
          onChange={(event) => setSince(event.currentTarget.value)}
        />
        <Refused error={again.error} />
        <div role="status">
          {again.data && <Text size="sm">{grouped(again.data.recovered)} queued to be sent again.</Text>}
        </div>
        <Button
          loading={again.isPending}
          disabled={since === ''}
          onClick={() => again.mutate()}
          style={{ alignSelf: 'flex-start' }}
        >
          Resend
        </Button>
      </Stack>
    </Modal>
  );
}
