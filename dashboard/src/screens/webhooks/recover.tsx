import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { recover } from '../../api/webhooks.js';
import type { Endpoint } from '../../api/types.js';
import { useKeptForm } from '../../parts/state/kept-form.js';
import { DateField } from '../../parts/forms/date-field.js';
import { Actions } from '../../parts/forms/actions.js';
import { Refused } from '../../parts/loading/failure.js';
import { useSending } from '../../parts/forms/sending.js';
import { toast } from '../../parts/toasts/toasts.js';
import { Modal } from '../../parts/display/windows.js';
import { pluralize } from '../../text/pluralize.js';
import { startOfDay } from '../../text/time.js';

const TIME = /^([01]?\d|2[0-3]):[0-5]\d$/;

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
    initialValues: { day: '', time: '00:00' },
    validate: {
      day: (value) => (startOfDay(value) ? null : 'Choose a day'),
      time: (value) => (TIME.test(value.trim()) ? null : 'Enter a time such as 14:05'),
    },
  });
  const again = useSending(
    form,
    ({ day, time }) => recover(endpoint.id, new Date(`${day}T${time.trim().padStart(5, '0')}`).toISOString()),
    {
      onSuccess: ({ recovered }) => {
        const message =
          recovered === 0
            ? 'Nothing has failed since then'
            : `${pluralize(recovered, 'delivery', 'deliveries')} will be sent again`;
        void toast({ tone: 'info', message });
        onDone();
        onClose();
      },
    },
  );
  return (
    <form noValidate onSubmit={again.submit}>
      <Stack>
        <Text size="sm">All deliveries that failed since then are sent again, oldest first.</Text>
        <Group align="flex-start" grow>
          <DateField label="Since" required data-autofocus {...form.getInputProps('day')} />
          <TextInput label="Time" required {...form.getInputProps('time')} />
        </Group>
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
