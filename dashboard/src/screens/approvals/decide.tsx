import '../../styles/approvals.css';
import { Button, Group, Kbd, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SyntheticEvent, useId, useState } from 'react';
import { decide } from '../../api/approvals.js';
import { ApiError } from '../../api/request.js';
import { plainNaira } from '../../money/money.js';
import { Refused } from '../../parts/loading/failure.js';
import { toast } from '../../parts/toasts/toasts.js';
import { messageOf } from '../../text/words.js';
import type { Problems } from './problem.js';
import { useShortcuts } from './shortcuts.js';

/** It no longer waits: it was decided elsewhere, or has expired. */
const isGone = (error: unknown) =>
  error instanceof ApiError && ['APPROVAL_ALREADY_DECIDED', 'APPROVAL_NOT_FOUND'].includes(error.code);

interface Deciding {
  readonly id: string;
  readonly word: 'approve' | 'deny';
  readonly note: string | null;
  /** Amount and merchant, in words. */
  readonly payment: string;
}

/**
 * A decision under way, with the note of a denial: kept where both outlive the buttons, which stand elsewhere on a
 * screen that is turned.
 */
export function useDecision(onDecided?: (id: string) => void) {
  const client = useQueryClient();
  const [note, setNote] = useState<{ id: string; text: string } | null>(null);
  const deciding = useMutation({
    mutationFn: ({ id, word, note }: Deciding) => decide(id, word, note),
    onSuccess: ({ data: { approval } }, { id, word, payment }) => {
      setNote(null);
      if (approval.status === 'pending') {
        void toast({ tone: 'info', message: `${payment}: a second member must approve it too` });
        return;
      }
      onDecided?.(id);
      void toast({
        tone: word === 'approve' ? 'good' : 'info',
        message: `${payment} ${word === 'approve' ? 'approved' : 'denied'}`,
      });
    },
    onError: (error, { id, payment }) => {
      // It goes from the screen, and with it whatever would be said here.
      if (isGone(error)) {
        onDecided?.(id);
        void toast({ tone: 'bad', title: 'That didn’t work', message: `${payment}: ${messageOf(error)}` });
      }
    },
    onSettled: () => void client.invalidateQueries(),
  });
  return { note, setNote, deciding };
}

interface Props {
  id: string;
  amount: number;
  merchantName: string;
  decision: ReturnType<typeof useDecision>;
  problems: Problems;
  /** It has just come to where it stands. */
  isMoving?: boolean;
  /** The keys A and D decide it. */
  hasKeys?: boolean;
}

/** Approves or denies a payment that waits. Neither can be taken back. */
export function Decide({
  id,
  amount,
  merchantName,
  decision: { note: noted, setNote, deciding },
  problems,
  isMoving = false,
  hasKeys = false,
}: Props) {
  const problemId = useId();
  const note = noted?.id === id ? noted.text : null;
  const isOfThis = deciding.variables?.id === id;
  const isBusy = deciding.isPending || isMoving;
  const mayApprove = !isBusy && problems.approve === null;
  const mayDeny = !isBusy && problems.deny === null;
  const send = (word: 'approve' | 'deny') =>
    deciding.mutate({
      id,
      word,
      note: note?.trim() || null,
      payment: `${plainNaira(amount)} to ${merchantName}`,
    });
  const askForNote = () => setNote({ id, text: '' });
  useShortcuts(hasKeys && note === null, {
    a: () => mayApprove && send('approve'),
    d: () => mayDeny && askForNote(),
  });
  const problem = problems.approve ?? problems.deny;
  return (
    <Stack gap="sm">
      {isOfThis && <Refused error={deciding.error} />}
      {note === null ? (
        <Group gap="xs" className="decide">
          <Button
            loading={deciding.isPending && isOfThis}
            disabled={!mayApprove}
            aria-describedby={problems.approve ? problemId : undefined}
            rightSection={hasKeys && <Key name="A" />}
            onClick={() => send('approve')}
          >
            Approve {plainNaira(amount)}
          </Button>
          <Button
            variant="default"
            disabled={!mayDeny}
            aria-describedby={problems.deny ? problemId : undefined}
            rightSection={hasKeys && <Key name="D" />}
            onClick={askForNote}
          >
            Deny
          </Button>
        </Group>
      ) : (
        <form
          onSubmit={(event: SyntheticEvent) => {
            event.preventDefault();
            if (mayDeny) send('deny');
          }}
        >
          <Stack gap="sm">
            <TextInput
              label="Note"
              description="Optional; the agent sees it"
              maxLength={500}
              data-autofocus
              autoFocus
              value={note}
              onChange={({ currentTarget }) => setNote({ id, text: currentTarget.value })}
              onKeyDown={(event) => {
                if (event.key !== 'Escape') return;
                event.stopPropagation();
                setNote(null);
              }}
            />
            <Group gap="xs" className="decide">
              <Button type="submit" color="red" loading={deciding.isPending && isOfThis} disabled={!mayDeny}>
                Deny {plainNaira(amount)}
              </Button>
              <Button variant="default" disabled={deciding.isPending} onClick={() => setNote(null)}>
                Back
              </Button>
            </Group>
          </Stack>
        </form>
      )}
      {problem && (
        <Text size="sm" c="dimmed" id={problemId}>
          {problem}
        </Text>
      )}
    </Stack>
  );
}

function Key({ name }: { name: string }) {
  return (
    <Kbd size="xs" aria-hidden className="key-hint">
      {name}
    </Kbd>
  );
}
