import { Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { paymentTotals } from '../../api/calls.js';
import { queryKeys } from '../../api/query-keys.js';
import { chart } from '../../live/poll-intervals.js';
import { grouped } from '../../money/money.js';
import { Sums } from '../../parts/lists/sums.js';
import { Money } from '../../parts/money/money.js';
import type { PaymentQuery } from '../../payments/payment-filters.js';
import type { PaymentStatus } from '../../payments/status.js';

const GROUPS: readonly (readonly [name: string, of: readonly PaymentStatus[]])[] = [
  ['paid', ['paid']],
  ['processing', ['processing']],
  ['awaiting approval', ['awaiting_approval']],
  ['failed or sent back', ['failed', 'returned']],
  ['blocked, denied or expired', ['blocked', 'denied', 'expired']],
];

type Of = Awaited<ReturnType<typeof paymentTotals>> | undefined;

/** Undefined until they are loaded; null: too many payments. */
export function useTotals(asked: PaymentQuery): Of {
  return useQuery({
    queryKey: queryKeys.paymentTotals(asked),
    queryFn: () => paymentTotals(asked),
    refetchInterval: chart,
    placeholderData: keepPreviousData,
  }).data;
}

/** Null: not known. */
export const countOf = (data: Of): number | null => (data ? sumOf(data.map(({ count }) => count)) : null);

/** Totals of all pages of a list of payments. */
export function Totals({ of: data }: { of: Of }) {
  if (data === undefined) return <div className="sums below" />;
  if (data === null) {
    return (
      <Text size="sm" c="dimmed" className="sums below">
        Choose fewer days to see totals: there are more than 40,000 payments.
      </Text>
    );
  }
  const groups = GROUPS.map(([name, statuses]) => {
    const those = data.filter(({ status }) => statuses.includes(status));
    return {
      name,
      count: sumOf(those.map((each) => each.count)),
      amount: sumOf(those.map((each) => each.amount)),
    };
  });
  return (
    <Sums
      isBelow
      parts={groups
        .filter((group) => group.count > 0)
        .map((group) => [
          `${grouped(group.count)} ${group.name}`,
          <Money key="amount" kobo={group.amount} bold />,
        ])}
    />
  );
}

const sumOf = (figures: readonly number[]) => figures.reduce((sum, each) => sum + each, 0);
