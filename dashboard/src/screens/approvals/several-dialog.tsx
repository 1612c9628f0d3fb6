import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { decide } from '../../api/approvals.js';
import { ApiError } from '../../api/request.js';
import type { Approval } from '../../api/types.js';
import { walletNamesQuery } from '../../api/wallet-list.js';
import { koboTyped, plainNaira } from '../../money/money.js';
import { Modal } from '../../parts/display/windows.js';
import { Actions } from '../../parts/forms/actions.js';
import { Money } from '../../parts/money/money.js';
import { MoneyInput } from '../../parts/money/money-input.js';
import { refusalOf } from '../../session/permissions.js';
import { useMay, useUser } from '../../session/session.js';
import { pluralize } from '../../text/pluralize.js';
import { messageOf } from '../../text/words.js';
import { REQUESTED, stopped } from './problem.js';
import { amongUpTo, sumOf } from './several.domain.js';

interface Props {
  approvals: readonly Approval[];
  ticked: ReadonlySet<string>;
  onTick: (ids: ReadonlySet<string>) => void;
  opened: boolean;
  onClose: () => void;
}

interface Result {
  readonly text: string;
  readonly isGood: boolean;
}

/** One confirmation for several payments; what became of each is said beside it. */
export default function SeveralDialog({ approvals, ticked, onTick, opened, onClose }: Props) {
  const client = useQueryClient();
  const user = useUser();
  const mayDecide = useMay('payments.approve');
  const wallets = useQuery(walletNamesQuery).data;
  const nameOf = (id: string) => wallets?.find((wallet) => wallet.id === id)?.name;
  const [most, setMost] = useState('');
  /** Kept from the confirmation on: approved ones leave the list behind. */
  const [confirmed, setConfirmed] = useState<readonly Approval[] | null>(null);
  const [results, setResults] = useState<ReadonlyMap<string, Result>>(new Map());
  const problemOf = ({ walletId, approvedBy, notBy }: Approval): string | null => {
    const wallet = wallets?.find(({ id }) => id === walletId);
    if (wallet && wallet.status !== 'ACTIVE') return stopped(wallet);
    if (notBy === user.id) return REQUESTED;
    return approvedBy?.includes(user.id) ? 'A second member must approve it.' : null;
  };
  const possible = approvals.filter((each) => problemOf(each) === null);
  const chosen = confirmed ?? approvals.filter(({ id }) => ticked.has(id));
  const payable = chosen.filter((each) => problemOf(each) === null);
  const approving = useMutation({
    mutationFn: async (all: readonly Approval[]) => {
      const done = new Map<string, Result>();
      const say = (id: string, result: Result) => {
        done.set(id, result);
        setResults(new Map(done));
      };
      let stop: string | null = null;
      for (const { id } of all) {
        if (stop !== null) say(id, { text: stop, isGood: false });
        else {
          try {
            const { data } = await decide(id, 'approve', null);
            const isFirst = data.approval.status === 'pending';
            say(id, { text: isFirst ? 'Waits for a second member' : 'Approved', isGood: true });
          } catch (error) {
            say(id, { text: messageOf(error), isGood: false });
            // Each further one would ask for a code again, or not arrive either.
            const isUseless =
              error instanceof ApiError && (error.isTransient || error.code === 'TWO_FACTOR_REQUIRED');
            if (isUseless) stop = 'Not tried';
          }
        }
      }
    },
    onMutate: (all) => setConfirmed(all),
    onSettled: () => void client.invalidateQueries(),
  });
  const leave = () => {
    if (approving.isPending) return;
    onClose();
    if (confirmed) onTick(new Set());
    setConfirmed(null);
    setResults(new Map());
    setMost('');
  };
  const choose = (text: string) => {
    setMost(text);
    const limit = koboTyped(text);
    if (limit !== null) onTick(new Set(amongUpTo(possible, limit).map(({ id }) => id)));
  };
  return (
    <Modal opened={opened} onClose={leave} title="Approve several payments" size="lg">
      <Stack>
        {confirmed === null && (
          <MoneyInput
            label="Up to a sum of"
            description="Selects what expires soonest first, as long as all together stay within it"
            data-autofocus
            value={most}
            onChange={choose}
          />
        )}
        {chosen.length === 0 ? (
          <Text size="sm" c="dimmed">
            Nothing is selected.
          </Text>
        ) : (
          <ul className="rows several" aria-label="Payments">
            {chosen.map((each) => {
              const result = results.get(each.id);
              const problem = confirmed ? null : problemOf(each);
              return (
                <li key={each.id}>
                  <Group justify="space-between" wrap="nowrap" gap="sm" py={6}>
                    <span className="cut">
                      {each.transaction.merchantName}
                      <span className="small cut" style={{ display: 'block' }}>
                        {[each.transaction.reason, nameOf(each.walletId)].filter(Boolean).join(' · ')}
                      </span>
                    </span>
                    <Money kobo={each.transaction.amount} bold />
                  </Group>
                  {(result ?? problem) && (
                    <Text
                      size="xs"
                      pb={6}
                      className={result ? (result.isGood ? 'good' : 'bad') : undefined}
                      c={result ? undefined : 'dimmed'}
                    >
                      {result?.text ?? problem}
                    </Text>
                  )}
                </li>
              );
            })}
          </ul>
        )}
        {confirmed && !approving.isPending ? (
          <Group justify="space-between">
            <Text size="sm" role="status">
              {[...results.values()].filter(({ isGood }) => isGood).length} of {confirmed.length} approved
            </Text>
            <Button onClick={leave}>Done</Button>
          </Group>
        ) : (
          <>
            {!mayDecide && (
              <Text size="sm" c="dimmed">
                {refusalOf('payments.approve')}
              </Text>
            )}
            <Actions onCancel={leave}>
              <Button
                h="auto"
                mih={36}
                styles={{ label: { whiteSpace: 'normal' } }}
                loading={approving.isPending}
                disabled={payable.length === 0 || !mayDecide}
                onClick={() => approving.mutate(payable)}
              >
                Approve {pluralize(payable.length, 'payment')} of {plainNaira(sumOf(payable))}
              </Button>
            </Actions>
          </>
        )}
      </Stack>
    </Modal>
  );
}
