import { Button, Group, Stack, Text, Textarea, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { queryKeys } from '../../../api/query-keys.js';
import { addNote, notesOf, type PaymentNote, type Place, removeNote } from '../../../api/records.js';
import { Moment } from '../../../parts/display/moment.js';
import { useSending } from '../../../parts/forms/sending.js';
import { Answer } from '../../../parts/loading/answer.js';
import { Refused } from '../../../parts/loading/failure.js';
import { Skeleton } from '../../../parts/loading/skeleton.js';
import { Allowed } from '../../../parts/session/allowed.js';
import { refused } from '../../../parts/toasts/toasts.js';
import { useMay, useUser } from '../../../session/session.js';

export function Notes({ place }: { place: Place }) {
  const client = useQueryClient();
  const isAllowed = useMay('payments.annotate');
  const queryKey = queryKeys.paymentNotes(place.walletId, place.transactionId);
  const notes = useQuery({ queryKey, queryFn: () => notesOf(place) });
  const renew = () => client.invalidateQueries({ queryKey });
  const form = useForm({ initialValues: { text: '' } });
  const writing = useSending(form, ({ text }) => addNote(place, text.trim()), {
    onSuccess: () => {
      form.reset();
      void renew();
    },
  });
  const removing = useMutation({
    mutationFn: (id: string) => removeNote(place, id),
    onSuccess: renew,
    onError: refused,
  });
  return (
    <section aria-label="Notes">
      <Title order={3} fz={14} mb={4}>
        Notes
      </Title>
      <Answer of={notes} what="Its notes" loading={<Skeleton h={30} />}>
        {(all) => (
          <Stack gap="xs" mb="xs">
            {all.map((note) => (
              <Line key={note.id} note={note} onRemove={() => removing.mutate(note.id)} />
            ))}
          </Stack>
        )}
      </Answer>
      <form noValidate onSubmit={writing.submit}>
        <Stack gap="xs">
          <Textarea
            size="xs"
            aria-label="New note"
            placeholder="For other members; it isn’t edited later"
            maxLength={2_000}
            autosize
            minRows={2}
            maxRows={8}
            disabled={!isAllowed}
            {...form.getInputProps('text')}
          />
          <Refused error={writing.refusal} />
          <Group>
            <Allowed act="payments.annotate">
              <Button
                type="submit"
                size="xs"
                variant="default"
                disabled={form.values.text.trim() === ''}
                loading={writing.isPending}
              >
                Add note
              </Button>
            </Allowed>
          </Group>
        </Stack>
      </form>
    </section>
  );
}

function Line({ note, onRemove }: { note: PaymentNote; onRemove: () => void }) {
  const isOwn = useUser().id === note.authorId;
  return (
    <div>
      <Text size="sm" className="wrap" style={{ whiteSpace: 'pre-line' }}>
        {note.text}
      </Text>
      <Group gap="xs">
        <Text size="xs" c="dimmed" className="wrap">
          {note.author ?? 'A member'} · <Moment at={note.createdAt} />
        </Text>
        {isOwn && (
          <Button size="compact-xs" variant="subtle" color="gray" onClick={onRemove}>
            Remove
          </Button>
        )}
      </Group>
    </div>
  );
}
