import { Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { memo, type ReactNode } from 'react';
import { spendByDay } from '../../api/calls.js';
import { queryKeys } from '../../api/query-keys.js';
import type { Day } from '../../api/types.js';
import { chart } from '../../live/poll-intervals.js';
import { Answer } from '../loading/answer.js';
import { Card } from '../display/card.js';
import { Choice } from '../forms/choice.js';
import { Loading } from '../loading/loading.js';
import { grouped } from '../../money/money.js';
import { Money } from './money.js';
import { SpendChart } from './spend-chart.js';
import { useAddress } from '../state/use-address.js';
import { Skeleton } from '../loading/skeleton.js';

/** Whole weeks: each day stands beside the same weekday of before. */
const RANGES = ['28', '7', '91'] as const;

/** Spend by day, with the days before. */
export const ChartCard = memo(function ChartCard({ walletId }: { walletId: string | null }) {
  const address = useAddress();
  const range = address.oneOf('days', RANGES);
  const days = Number(range);
  const query = useQuery({
    queryKey: queryKeys.spendByDay(walletId, days),
    queryFn: () => spendByDay(walletId, days * 2),
    refetchInterval: chart,
    placeholderData: keepPreviousData,
  });
  return (
    <Card
      title="Spend"
      aside={
        <Choice
          label="Range"
          value={range}
          onChange={(value) => address.set({ days: value === RANGES[0] ? null : value }, { replace: true })}
          data={[
            { value: '7', label: '7 days' },
            { value: '28', label: '28 days' },
            { value: '91', label: '13 weeks' },
          ]}
        />
      }
    >
      <Answer of={query} what="The chart" loading={<ChartLoading />}>
        {(all) => <Spend all={all} days={all.length / 2} walletId={walletId} />}
      </Answer>
    </Card>
  );
});

const spentIn = (days: readonly Day[]) => days.reduce((sum, { spent }) => sum + spent, 0);
const blockedIn = (days: readonly Day[]) => days.reduce((sum, { blocked }) => sum + blocked, 0);

function Spend({ all, days, walletId }: { all: Day[]; days: number; walletId: string | null }) {
  const before = all.slice(0, days);
  const now = all.slice(days);
  const spent = spentIn(now);
  const blocked = blockedIn(now);
  const isEmpty = spent === 0 && spentIn(before) === 0;
  return (
    <>
      <div className="chart-totals">
        <Total name={`Last ${days} days`} swatch="spend">
          <Money kobo={spent} />
        </Total>
        <Total name={`${days} days before`} swatch="spend-before">
          <Money kobo={spentIn(before)} />
        </Total>
        <Total name="Blocked" swatch="blocked">
          {grouped(blocked)}
        </Total>
      </div>
      {isEmpty ? (
        <div className="chart-empty">
          <Text fw={600}>Nothing spent in this period</Text>
          <Text size="sm" c="dimmed">
            Spend shows here by day as soon as an agent pays.
          </Text>
        </div>
      ) : (
        <SpendChart now={now} before={before} walletId={walletId} />
      )}
    </>
  );
}

function Total({ name, swatch, children }: { name: string; swatch?: string; children: ReactNode }) {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {swatch && <span className={`legend ${swatch}`} />}
        {name}
      </Text>
      <div className="chart-total">{children}</div>
    </div>
  );
}

function ChartLoading() {
  return (
    <Loading>
      <div className="chart-totals">
        <Skeleton h={44} w={140} />
        <Skeleton h={44} w={140} />
      </div>
      <Skeleton className="chart-loading" />
    </Loading>
  );
}
