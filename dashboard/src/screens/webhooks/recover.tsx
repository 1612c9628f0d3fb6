import { Button, Stack, Text, TextInput } from '@mantine/core';
import { recover } from '../../api/webhooks.js';
import type { Endpoint } from '../../api/types.js';
import { useKeptForm } from '../../parts/state/kept.js';
import { Actions } from '../../parts/forms/actions.js';
import { Refused } from '../../parts/loading/failure.js';
import { useSending } from '../../parts/forms/sending.js';
import { toast } from '../../parts/toasts/toasts.js';
import { Modal } from '../../parts/display/windows.js';
import { pluralize } from '../../text/pluralize.js';

interface Props {
  endpoint: Endpoint;
  opened: boolean;
  onClose: () => void;
  onDone: () => void;
}

/** Sends again what failed, as after an outage of the owner's server. */
export function Recover({ opened, onClose, ...rest }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title="Resend failed deliveries">
      <Form {...rest} onClose={onClose} />
    </Modal>
  );
}

function Form({ endpoint, onClose, onDone }: Omit<Props, 'opened'>) {
  const form = useKeptForm(`recovery of ${endpoint.id}`, {
    initialValues: { since: '' },
    validate: { since: (value) => (value === '' ? 'Choose a day and a time' : null) },
  });
  const again = useSending(form, ({ since }) => recover(endpoint.id, new Date(since).toISOString()), {
    onSuccess: ({ recovered }) => {
      const message =
        recovered === 0
          ? 'Nothing has failed since then'
          : `${pluralize(recovered, 'delivery', 'deliveries')} will be sent again`;
      void toast({ tone: 'info', message });
      onDone();
      onClose();
    },
  });
  return (
    <form noValidate onSubmit={again.submit}>
      <Stack>
        <Text size="sm">All deliveries that failed since then are sent again, oldest first.</Text>
        <TextInput
          type="datetime-local"
          label="Since"
          required
          data-autofocus
          {...form.getInputProps('since')}
        />
        <Refused error={again.refusal} />
        <Actions onCancel={onClose}>
          <Button type="submit" loading={again.isPending}>
            Resend
          </Button>
        </Actions>
      </Stack>
    </form>
  );
}
