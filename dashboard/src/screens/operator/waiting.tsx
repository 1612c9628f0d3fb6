import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { confirmProposal, OPERATOR, type Proposal, rejectProposal } from '../../api/operator.js';
import { plainNaira } from '../../money/money.js';
import { Moment } from '../../parts/display/moment.js';
import { Refused } from '../../parts/loading/failure.js';
import { toast } from '../../parts/toasts/toasts.js';
import { useUser } from '../../session/session.js';
import { ACTS } from './words.js';

/** Acts above the limit of one operator, with who asked. */
export function Waiting({ proposals }: { proposals: readonly Proposal[] }) {
  return proposals.map((proposal) => <Waits key={proposal.id} proposal={proposal} />);
}

function Waits({ proposal }: { proposal: Proposal }) {
  const { id, act, subject, amount, reason, proposedBy, proposer, proposedAt, expiresAt } = proposal;
  const { walletId, outcome } = proposal.details as { walletId?: string; outcome?: string };
  const client = useQueryClient();
  const isMine = useUser().id === proposedBy;
  const onSettled = () => client.invalidateQueries({ queryKey: [OPERATOR] });
  const confirm = useMutation({
    mutationFn: () => confirmProposal(id),
    onSuccess: () => void toast({ message: `${ACTS[act].name}: done` }),
    onSettled,
  });
  const reject = useMutation({
    mutationFn: () => rejectProposal(id),
    onSuccess: () => void toast({ tone: 'info', message: isMine ? 'Withdrawn' : 'Rejected' }),
    onSettled,
  });
  const isBusy = confirm.isPending || reject.isPending;
  return (
    <Alert color="yellow" variant="light" title="Awaiting a second operator">
      <Stack gap="sm">
        <Text size="sm" className="wrap">
          {isMine ? 'You' : (proposer ?? 'An operator')} asked for “{ACTS[act].name}”
          {outcome && ` (${outcome})`}, {plainNaira(amount)}
          {walletId && `, wallet ${walletId}`}, on <Moment at={proposedAt} />: “{reason}”. It can be confirmed
          until <Moment at={expiresAt} />.
        </Text>
        <Text size="xs" className="mono">
          {subject}
        </Text>
        <Refused error={confirm.error ?? reject.error} />
        <Group gap="xs">
          {!isMine && (
            <Button size="xs" loading={confirm.isPending} disabled={isBusy} onClick={() => confirm.mutate()}>
              Confirm
            </Button>
          )}
          <Button
            size="xs"
            variant="default"
            loading={reject.isPending}
            disabled={isBusy}
            onClick={() => reject.mutate()}
          >
            {isMine ? 'Withdraw' : 'Reject'}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
