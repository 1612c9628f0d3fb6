import { Skeleton, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { spendByDay } from '../api/calls.js';
import { Card } from './bits.js';
import { Failure } from './failure.js';

const Charts = lazy(() => import('./charts.js'));

/** Spend and blocked attempts by day, of one wallet or of all. */
export function ChartCard({
  walletId,
  days,
  refreshMs,
}: {
  walletId: string | null;
  days: number;
  refreshMs: number;
}) {
  const query = useQuery({
    queryKey: ['by-day', walletId, days],
    queryFn: () => spendByDay(walletId, days),
    refetchInterval: refreshMs,
  });
  return (
    <Card title="Day by day">
      {query.data ? (
        <Suspense fallback={<Space />}>
          <Charts days={query.data} />
        </Suspense>
      ) : query.isError ? (
        <Failure error={query.error} what="The chart" onRetry={() => void query.refetch()} />
      ) : (
        <Space />
      )}
    </Card>
  );
}

function Space() {
  return (
    <div role="status">
      <VisuallyHidden>Loading the chart</VisuallyHidden>
      <Skeleton h={188} />
    </div>
  );
}
