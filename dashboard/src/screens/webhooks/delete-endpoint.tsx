import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { deleteEndpoint } from '../../api/calls.js';
import { Refused } from '../../parts/failure.js';
import { toast } from '../../parts/toasts.js';

export function DeleteEndpoint({ endpointId }: { endpointId: string }) {
  const [isOpen, dialog] = useDisclosure();
  const client = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => deleteEndpoint(endpointId),
    onSuccess: async () => {
      await navigate('/webhooks', { replace: true });
      // Nothing of it is shown again as if it were there.
      client.removeQueries({ queryKey: ['endpoint', endpointId] });
      client.removeQueries({ queryKey: ['deliveries', endpointId] });
      void client.invalidateQueries({ queryKey: ['endpoints'] });
      void toast({ message: 'Endpoint deleted' });
    },
  });
  return (
    <>
      <Button variant="default" onClick={dialog.open}>
        Delete
      </Button>
      <Modal opened={isOpen} onClose={dialog.close} title="Delete this endpoint?">
        <Stack>
          <Text size="sm">
            Nothing more is sent to it, and its deliveries are no longer shown. This can’t be undone.
          </Text>
          <Refused error={remove.error} />
          <Group>
            <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
              Delete endpoint
            </Button>
            <Button variant="default" onClick={dialog.close}>
              Cancel
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
