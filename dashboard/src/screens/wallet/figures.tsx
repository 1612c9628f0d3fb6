import { SimpleGrid } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { stats as readStats } from '../../api/calls.js';
import type { Wallet } from '../../api/types.js';
import { WATCHED_MS } from '../../poll-intervals.js';
import { Allowance } from '../../parts/allowance.js';
import { Figure } from '../../parts/card.js';
import { day } from '../../time.js';

/** What is there, what may still go, and for how long. */
export function Figures({ walletId, wallet }: { walletId: string; wallet: Wallet | undefined }) {
  const { data: stats } = useQuery({
    queryKey: ['stats', walletId],
    queryFn: () => readStats(walletId),
    refetchInterval: WATCHED_MS,
  });
  const limits = stats ?? wallet;
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="md">
      <Figure name="Balance" kobo={stats?.balance ?? wallet?.balance} note="in the wallet now" />
      <Figure
        name="Allowance left"
        kobo={stats?.remainingAllowance}
        note={<Allowance spent={stats?.spentThisPeriod} limit={limits?.spendLimitPeriod} />}
      />
      <Figure
        name="At a time"
        kobo={limits?.spendLimitPerTx}
        note={wallet && <span title={wallet.expiry}>until {day(wallet.expiry)}</span>}
      />
    </SimpleGrid>
  );
}
