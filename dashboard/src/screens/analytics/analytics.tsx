import { Select, Stack, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { queryKeys } from '../../api/query-keys.js';
import { spendCsv, type SpendGroup, spendOf, type SpendQuery } from '../../api/spend.js';
import { chart } from '../../live/poll-intervals.js';
import { Back } from '../../parts/frame/back.js';
import { useTitle } from '../../parts/frame/title.js';
import { Card } from '../../parts/display/card.js';
import { Csv } from '../../parts/lists/csv.js';
import { Answer } from '../../parts/loading/answer.js';
import { BlocksLoading } from '../../parts/loading/loading.js';
import { DateField } from '../../parts/forms/date-field.js';
import { useAddress } from '../../parts/state/use-address.js';
import { dateInput, endOfDay, startOfDay, zone } from '../../text/time.js';
import { SpendTable } from './spend-table.js';
import { SpendStack } from './spend-stack.js';

const GROUPS = [
  'merchant',
  'wallet',
  'key',
  'purpose',
  'run',
  'category',
  'costCentre',
  'blockReason',
] as const;
const NAMES: Readonly<Record<SpendGroup, string>> = {
  merchant: 'Merchant',
  wallet: 'Wallet',
  key: 'Key',
  purpose: 'Purpose',
  run: 'Run',
  category: 'Category',
  costCentre: 'Cost centre',
  blockReason: 'Block reason',
};

/** The largest groups, or as many as there can be. */
const ROWS = ['8', '50'] as const;

/** Totals of a period; the address keeps what is chosen. */
export function Analytics() {
  useTitle('Analytics');
  const address = useAddress();
  const by = address.oneOf('by', GROUPS);
  const rows = address.oneOf('rows', ROWS);
  const from = address.get('from') ?? dateInput(-29);
  const to = address.get('to') ?? dateInput(0);
  const [start, end] = [startOfDay(from), endOfDay(to)];
  const problem = start && end && end >= start ? null : 'Not before “From”';
  const query: SpendQuery | null =
    start && end && !problem
      ? {
          by,
          from: start.toISOString(),
          to: new Date(end.getTime() + 1_000).toISOString(),
          limit: Number(rows),
        }
      : null;
  const found = useQuery({
    queryKey: queryKeys.spend(query),
    queryFn: () => spendOf(query as SpendQuery, zone()),
    enabled: query !== null,
    refetchInterval: chart,
    placeholderData: keepPreviousData,
  });
  const choose = (changes: Record<string, string | null>) => address.set(changes, { replace: true });
  return (
    <Stack gap="lg">
      <Stack gap={4}>
        <Back to="/payments">Payments</Back>
        <Title order={1}>Analytics</Title>
      </Stack>
      <div className="spend-period">
        <Select
          size="xs"
          label="By"
          allowDeselect={false}
          data={GROUPS.map((value) => ({ value, label: NAMES[value] }))}
          value={by}
          onChange={(value) => choose({ by: value })}
        />
        <DateField size="xs" label="From" value={from} onChange={(value) => choose({ from: value })} />
        <DateField
          size="xs"
          label="To"
          value={to}
          error={problem}
          onChange={(value) => choose({ to: value })}
        />
      </div>
      <Card
        title={by === 'blockReason' ? 'Blocked' : 'Spent'}
        aside={query && <Csv href={spendCsv(query)} />}
        flush
      >
        <Answer of={found} what="The totals" loading={<BlocksLoading heights={[200, 260]} />}>
          {(spend) => (
            <>
              <SpendStack spend={spend} />
              <SpendTable
                spend={spend}
                name={NAMES[spend.by]}
                from={from}
                to={to}
                othersAt={rows === '8' ? address.to({ rows: '50' }) : null}
              />
            </>
          )}
        </Answer>
      </Card>
      <Text size="xs" c="dimmed">
        Spent is what was approved and not refunded, on the day of its request. Payments that wait for
        approval do not count.
      </Text>
    </Stack>
  );
}
