import { Button, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { queryKeys } from '../../api/query-keys.js';
import { deleteEndpoint } from '../../api/webhooks.js';
import { Actions } from '../../parts/forms/actions.js';
import { Refused } from '../../parts/loading/failure.js';
import { toast } from '../../parts/toasts/toasts.js';
import { markStored, signingSecretOf } from '../../session/secrets.js';
import { Modal } from '../../parts/display/windows.js';

interface Props {
  endpointId: string;
  opened: boolean;
  onClose: () => void;
}

export function DeleteEndpoint({ endpointId, opened, onClose }: Props) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => deleteEndpoint(endpointId),
    onSuccess: async () => {
      await navigate('/webhooks', { replace: true });
      markStored(signingSecretOf(endpointId));
      // Nothing of it is shown again as if it were there.
      client.removeQueries({ queryKey: queryKeys.endpoint(endpointId) });
      client.removeQueries({ queryKey: queryKeys.deliveries(endpointId) });
      void client.invalidateQueries({ queryKey: queryKeys.endpoints() });
      void toast({ message: 'Endpoint deleted' });
    },
  });
  // What failed before is not said of the next try.
  const leave = () => {
    remove.reset();
    onClose();
  };
  return (
    <Modal opened={opened} onClose={leave} title="Delete this endpoint?">
      <Stack>
        <Text size="sm">
          Nothing more is sent to it, and its deliveries are no longer shown. This can’t be undone.
        </Text>
        <Refused error={remove.error} />
        <Actions onCancel={leave}>
          <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
            Delete endpoint
          </Button>
        </Actions>
      </Stack>
    </Modal>
  );
}
