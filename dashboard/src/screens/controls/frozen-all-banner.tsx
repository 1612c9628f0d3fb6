import { Alert, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { atBank as readAtBank, changes as readChanges } from '../../api/calls.js';
import { queryKeys } from '../../api/query-keys.js';
import type { WalletName } from '../../api/types.js';
import { Moment } from '../../parts/display/moment.js';
import { Money } from '../../parts/money/money.js';
import { pluralize } from '../../text/pluralize.js';
import { watched } from '../../live/poll-intervals.js';
import { usePerson } from '../../session/use-person.js';
import { ResumeWallets } from './resume-wallets.js';

interface Props {
  frozen: readonly WalletName[];
  /** No wallet pays. */
  isEveryOne: boolean;
}

/** What “Freeze all” stopped, by whom, since when, what it could not stop, and the way back. */
export default function FrozenAllBanner({ frozen, isEveryOne }: Props) {
  const by = useFreezer(frozen[0]?.id ?? '');
  const since = frozen.flatMap(({ suspendedAllAt }) => suspendedAllAt ?? []).sort()[0];
  return (
    <Alert
      color="red"
      variant="light"
      role="status"
      mb="lg"
      title={isEveryOne ? 'All agents are stopped' : 'Agents are stopped'}
    >
      <Group justify="space-between" gap="sm">
        <Text size="sm" className="wrap">
          {pluralize(frozen.length, 'wallet')} {frozen.length === 1 ? 'was' : 'were'} frozen
          {by && ` by ${by}`}
          {since && (
            <>
              {' '}
              (<Moment at={since} />)
            </>
          )}
          . <AtBank />
        </Text>
        <ResumeWallets />
      </Group>
    </Alert>
  );
}

/** Who froze a wallet last; null while unknown. */
function useFreezer(walletId: string): string | null {
  const nameOf = usePerson();
  const { data } = useQuery({
    queryKey: queryKeys.changes(walletId, 1),
    queryFn: () => readChanges(walletId, 1),
  });
  const freeze = data?.data.find(({ action }) => action === 'suspended');
  return freeze ? nameOf(freeze.userId) : null;
}

/** Payouts that were approved before: they can't be called back. */
function AtBank() {
  const { data } = useQuery({
    queryKey: queryKeys.atBank,
    queryFn: readAtBank,
    refetchInterval: watched,
  });
  if (!data) return null;
  if (data.count === 0) return data.isPartial ? null : 'No payout is with the bank.';
  return (
    <>
      {data.isPartial && 'At least '}
      {pluralize(data.count, 'payout')} of <Money kobo={data.amount} /> {data.count === 1 ? 'is' : 'are'}{' '}
      still with the bank: freezing doesn’t stop {data.count === 1 ? 'it' : 'them'}.
    </>
  );
}
