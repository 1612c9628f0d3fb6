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

/** Totals of all pages of a list of payments. */
export function Totals({ asked }: { asked: PaymentQuery }) {
  const { data } = useQuery({
    queryKey: queryKeys.paymentTotals(asked),
    queryFn: () => paymentTotals(asked),
    refetchInterval: chart,
    placeholderData: keepPreviousData,
  });
  if (data === undefined) return <div className="sums below" />;
  if (data === null) {
    return (
      <Text size="sm" c="dimmed" className="sums below">
        Choose fewer days to see totals: there are more than 40,000 payments.
      </Text>
    );
  }
  const count = data.reduce((sum, each) => sum + each.count, 0);
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
      parts={[
        ['All pages', <strong key="count">{grouped(count)}</strong>],
        ...groups
          .filter((group) => group.count > 0)
          .map(
            (group) =>
              [
                `${grouped(group.count)} ${group.name}`,
                <Money key="amount" kobo={group.amount} bold />,
              ] as const,
          ),
      ]}
    />
  );
}

const sumOf = (figures: readonly number[]) => figures.reduce((sum, each) => sum + each, 0);
