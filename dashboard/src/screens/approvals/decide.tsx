import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { decide } from '../../api/approvals.js';
import { ApiError } from '../../api/request.js';
import { plainNaira } from '../../money.js';
import { Refused } from '../../parts/failure.js';
import { toast } from '../../parts/toasts.js';
import { messageOf } from '../../words.js';

interface Props {
  id: string;
  amount: number;
  merchantName: string;
  /** It has just come to where it stands. */
  isMoving?: boolean;
  /** It waits no more, and will go from where it stands. */
  onDecided?: () => void;
}

/** It no longer waits: it was decided elsewhere, or has expired. */
const isGone = (error: unknown) =>
  error instanceof ApiError && ['APPROVAL_ALREADY_DECIDED', 'APPROVAL_NOT_FOUND'].includes(error.code);

/** Approves or denies a payment that waits. Neither can be taken back. */
export function Decide({ id, amount, merchantName, isMoving = false, onDecided }: Props) {
  const client = useQueryClient();
  const [note, setNote] = useState('');
  const deciding = useMutation({
    mutationFn: (word: 'approve' | 'deny') => decide(id, word, note.trim() || null),
    onSuccess: (_, word) => {
      onDecided?.();
      void toast({
        tone: word === 'approve' ? 'good' : 'info',
        message: `${plainNaira(amount)} to ${merchantName} ${word === 'approve' ? 'approved' : 'denied'}`,
      });
    },
    onError: (error) => {
      // It goes from the screen, and with it whatever would be said here.
      if (isGone(error)) {
        onDecided?.();
        const payment = `${plainNaira(amount)} to ${merchantName}`;
        void toast({ tone: 'bad', title: 'That didn’t work', message: `${payment}: ${messageOf(error)}` });
      }
    },
    onSettled: () => void client.invalidateQueries(),
  });
  const busy = (word: string) => deciding.isPending && deciding.variables === word;
  return (
    <Stack gap="sm">
      <TextInput
        label="Note"
        description="Optional; the agent sees it"
        maxLength={500}
        value={note}
        onChange={({ currentTarget }) => setNote(currentTarget.value)}
      />
      <Refused error={deciding.error} />
      <Group gap="xs" className="decide">
        <Button
          loading={busy('approve')}
          disabled={deciding.isPending || isMoving}
          onClick={() => deciding.mutate('approve')}
        >
          Approve {plainNaira(amount)}
        </Button>
        <Button
          variant="default"
          loading={busy('deny')}
          disabled={deciding.isPending || isMoving}
          onClick={() => deciding.mutate('deny')}
        >
          Deny
        </Button>
      </Group>
    </Stack>
  );
}
