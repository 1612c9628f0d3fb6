import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { decide } from '../../api/approvals.js';
import { ApiError } from '../../api/request.js';
import type { Wallet } from '../../api/types.js';
import { plainNaira } from '../../money/money.js';
import { Refused } from '../../parts/loading/failure.js';
import { toast } from '../../parts/toasts/toasts.js';
import { isActive } from '../../wallet/wallet-status.js';
import { messageOf } from '../../text/words.js';

interface Props {
  id: string;
  amount: number;
  merchantName: string;
  /** It has just come to where it stands. */
  isMoving?: boolean;
  /** Why it can't be approved now, in words; it can be denied all the same. */
  refusal?: string | null | undefined;
  /** It waits no more, and will go from where it stands. */
  onDecided?: () => void;
}

/** It no longer waits: it was decided elsewhere, or has expired. */
const isGone = (error: unknown) =>
  error instanceof ApiError && ['APPROVAL_ALREADY_DECIDED', 'APPROVAL_NOT_FOUND'].includes(error.code);

/** Why no payment of the wallet can be approved now; null where one can. */
export function approvalProblem(wallet: Pick<Wallet, 'status' | 'expiry'>): string | null {
  if (isActive(wallet)) return null;
  return wallet.status === 'ACTIVE'
    ? 'The wallet has expired. Extend it to approve.'
    : 'The wallet is frozen. Resume it to approve.';
}

/** Approves or denies a payment that waits. Neither can be taken back. */
export function Decide({ id, amount, merchantName, isMoving = false, refusal, onDecided }: Props) {
  const client = useQueryClient();
  const refusalId = useId();
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
          disabled={deciding.isPending || isMoving || Boolean(refusal)}
          aria-describedby={refusal ? refusalId : undefined}
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
      {refusal && (
        <Text size="sm" c="dimmed" id={refusalId}>
          {refusal}
        </Text>
      )}
    </Stack>
  );
}
