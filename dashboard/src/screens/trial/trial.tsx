import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { queryKeys } from '../../api/query-keys.js';
import { shadowTrial } from '../../api/trials.js';
import type { Wallet } from '../../api/types.js';
import { Answer } from '../../parts/loading/answer.js';
import { BlocksLoading } from '../../parts/loading/loading.js';
import { overview } from '../../live/poll-intervals.js';
import { Backtest } from './backtest.js';
import { RunningTrial } from './running-trial.js';
import { useMay } from '../../session/session.js';

/** Other limits than the wallet's: what they would have done, and those on trial beside the real ones. */
export function Trial({ wallet }: { wallet: Wallet }) {
  const mayTry = useMay('rules.try');
  const running = useQuery({
    queryKey: queryKeys.shadowTrial(wallet.id),
    queryFn: () => shadowTrial(wallet.id),
    refetchInterval: overview,
  });
  return (
    <Answer of={running} what="The limits on trial" loading={<BlocksLoading heights={[300]} />}>
      {(trial) => (
        <Stack gap="lg">
          {trial && <RunningTrial wallet={wallet} trial={trial} />}
          {wallet.status !== 'CLOSED' && mayTry && <Backtest wallet={wallet} />}
        </Stack>
      )}
    </Answer>
  );
}
