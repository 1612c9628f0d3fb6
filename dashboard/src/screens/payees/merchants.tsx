import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { queryKeys } from '../../api/query-keys.js';
import { merchantsOf, type SpendRow } from '../../api/spend.js';
import type { WalletDetails } from '../../api/types.js';
import { chart } from '../../live/poll-intervals.js';
import { grouped } from '../../money/money.js';
import { Card } from '../../parts/display/card.js';
import { Empty } from '../../parts/lists/empty.js';
import { Cell, Row, Rows, What } from '../../parts/lists/rows.js';
import { Sums } from '../../parts/lists/sums.js';
import { Answer } from '../../parts/loading/answer.js';
import { BlocksLoading } from '../../parts/loading/loading.js';
import { Money } from '../../parts/money/money.js';
import { pluralize } from '../../text/pluralize.js';
import { dateInput, zone } from '../../text/time.js';

interface Props {
  walletId: string;
  merchants: WalletDetails['merchants'] | undefined;
}

/** The merchants that the wallet has paid, with what it paid them lately. */
export function Merchants({ walletId, merchants }: Props) {
  const spend = useQuery({
    queryKey: queryKeys.merchantSpend(walletId),
    queryFn: () => merchantsOf(walletId, zone()),
    refetchInterval: chart,
  });
  return (
    <Card
      title="Merchants paid"
      aside={
        <Text size="xs" c="dimmed">
          Last 30 days
        </Text>
      }
      flush
    >
      <Answer of={spend} what="The merchants" loading={<BlocksLoading heights={[120]} />}>
        {({ rows, other, total }) => {
          const paid = rows.filter(({ payments }) => payments > 0);
          const names = new Set(paid.map(({ value }) => value));
          const earlier = (merchants ?? []).filter(({ name }) => !names.has(name.toLowerCase()));
          if (paid.length === 0 && earlier.length === 0) {
            return <Empty title="None yet">A merchant is listed from its first approved payment on.</Empty>;
          }
          return (
            <>
              {paid.length > 0 && (
                <Rows kind="merchant" label="Merchants paid">
                  {paid.map((row) => (
                    <MerchantRow key={row.value} row={row} />
                  ))}
                </Rows>
              )}
              <Sums
                isBelow
                parts={[
                  ...(other
                    ? ([
                        [
                          `${grouped(other.groups)} other merchants`,
                          <Money key="other" kobo={other.spent} bold />,
                        ],
                      ] as const)
                    : []),
                  [pluralize(total.payments, 'payment'), <Money key="total" kobo={total.spent} bold />],
                ]}
              />
              {earlier.length > 0 && !other && (
                <Text size="xs" c="dimmed" px="md" pb="sm" className="wrap">
                  Paid before: {earlier.map(({ name }) => name).join(', ')}
                </Text>
              )}
            </>
          );
        }}
      </Answer>
    </Card>
  );
}

function MerchantRow({ row: { value, label, payments, spent } }: { row: SpendRow }) {
  const filters = new URLSearchParams({ merchant: value ?? '', from: dateInput(-30) });
  return (
    <Row to={`?${filters.toString()}`}>
      <What name={label ?? value} />
      <Cell className="end times tabular">{pluralize(payments, 'payment')}</Cell>
      <Cell className="end amount">
        <Money kobo={spent} bold />
      </Cell>
    </Row>
  );
}
