import { SimpleGrid, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { spendByDay } from '../api/calls.js';
import { Answer } from './answer.js';
import { Card } from './card.js';
import { Loading } from './loading.js';

const Charts = lazy(() => import('./charts.js'));

/** Spend and blocked attempts by day, of one wallet or of all. */
export function ChartCard({
  walletId,
  days,
  refreshMs,
}: {
  walletId: string | null;
  /** Undefined while it is not known yet. */
  days: number | undefined;
  refreshMs: number;
}) {
  const query = useQuery({
    queryKey: ['by-day', walletId, days],
    queryFn: () => spendByDay(walletId, days ?? 0),
    enabled: days !== undefined,
    refetchInterval: refreshMs,
  });
  return (
    <Card title="Day by day">
      <Answer of={query} what="The chart" loading={<ChartsLoading />}>
        {(spend) => (
          <Suspense fallback={<ChartsLoading />}>
            <Charts days={spend} />
          </Suspense>
        )}
      </Answer>
    </Card>
  );
}

function ChartsLoading() {
  return (
    <Loading>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg">
        <Skeleton className="chart" />
        <Skeleton className="chart" />
      </SimpleGrid>
    </Loading>
  );
}
