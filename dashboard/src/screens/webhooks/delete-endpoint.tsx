import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { deleteEndpoint } from '../../api/calls.js';
import { Refused } from '../../parts/failure.js';

export function DeleteEndpoint({ endpointId }: { endpointId: string }) {
  const [isOpen, dialog] = useDisclosure();
  const client = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => deleteEndpoint(endpointId),
    onSuccess: async () => {
      await navigate('/webhooks');
      void client.invalidateQueries({ queryKey: ['endpoints'] });
    },
  });
  return (
    <>
      <Button variant="default" onClick={dialog.open}>
        Delete
      </Button>
      <Modal opened={isOpen} onClose={dialog.close} title="Delete this endpoint?">
        <Stack>
          <Text size="sm">Nothing more is sent to it, and its deliveries can’t be seen any more.</Text>
          <Refused error={remove.error} />
          <Group>
            <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
              Delete the endpoint
            </Button>
            <Button variant="default" onClick={dialog.close}>
              Keep it
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
