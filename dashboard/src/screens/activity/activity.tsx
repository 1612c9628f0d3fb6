import { Group, Select, Stack, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { activity as readActivity, activityCsv, type ActivityQuery, members } from '../../api/members.js';
import { queryKeys } from '../../api/query-keys.js';
import type { Activity as Line } from '../../api/types.js';
import { walletNamesQuery } from '../../api/wallet-list.js';
import { Card } from '../../parts/display/card.js';
import { Moment } from '../../parts/display/moment.js';
import { Back } from '../../parts/frame/back.js';
import { useTitle } from '../../parts/frame/title.js';
import { Csv } from '../../parts/lists/csv.js';
import { Empty } from '../../parts/lists/empty.js';
import { Pager } from '../../parts/lists/pager.js';
import { Cell, Row, Rows } from '../../parts/lists/rows.js';
import { Answer } from '../../parts/loading/answer.js';
import { BlocksLoading } from '../../parts/loading/loading.js';
import { DateField } from '../../parts/forms/date-field.js';
import { useAddress } from '../../parts/state/use-address.js';
import { useMay } from '../../session/session.js';
import { refusalOf } from '../../session/permissions.js';
import { ACT_KINDS, actInWords } from '../../text/acts-in-words.js';
import { useBankNames } from '../../text/banks.js';
import { endOfDay, startOfDay } from '../../text/time.js';
import { linesOf } from './lines.js';

/** Everything that the members did: who, when, from where, before and after. */
export function Activity() {
  useTitle('Activity log');
  const isAllowed = useMay('activity.read');
  return (
    <Stack gap="lg">
      <Stack gap={4}>
        <Back to="/settings">Settings</Back>
        <Title order={1}>Activity log</Title>
      </Stack>
      {isAllowed ? (
        <Log />
      ) : (
        <Card title="Activity" flush>
          <Empty title="Not for your role">{refusalOf('activity.read')}</Empty>
        </Card>
      )}
    </Stack>
  );
}

const NAMES = ['by', 'kind', 'from', 'to'] as const;

function filterOf(get: (name: string) => string | null): ActivityQuery {
  const from = startOfDay(get('from') ?? '');
  const end = endOfDay(get('to') ?? '');
  return {
    ...(get('by') && { userId: get('by') ?? '' }),
    ...(get('kind') && { act: get('kind') ?? '' }),
    ...(from && { from: from.toISOString() }),
    // Up to the next day.
    ...(end && { to: new Date(end.getTime() + 1_000).toISOString() }),
  };
}

function Log() {
  const address = useAddress();
  const page = address.page();
  const filter = filterOf(address.get);
  const query = useQuery({
    queryKey: queryKeys.activity(filter, page),
    queryFn: () => readActivity(filter, page),
    placeholderData: keepPreviousData,
  });
  return (
    <Card title="Activity" flush aside={<Csv href={activityCsv(filter)} />}>
      <Filters />
      <Answer of={query} what="The activity log" loading={<BlocksLoading heights={[330]} />}>
        {({ data, pagination }) =>
          data.length === 0 ? (
            <Empty title="Nothing matches">
              {NAMES.some((name) => address.get(name))
                ? 'No activity of this kind in this period.'
                : 'Sign-ins, members, keys, rules, approvals and downloads show here.'}
            </Empty>
          ) : (
            <>
              <Rows kind="act" label="Activity">
                {data.map((line) => (
                  <ActRow key={line.id} line={line} />
                ))}
              </Rows>
              <Pager of={pagination} one="entry" many="entries" />
            </>
          )
        }
      </Answer>
    </Card>
  );
}

function Filters() {
  const address = useAddress();
  const { data = [] } = useQuery({ queryKey: queryKeys.members, queryFn: members });
  const choose = (name: (typeof NAMES)[number]) => (value: string | null) =>
    address.set({ [name]: value, page: null }, { replace: true });
  return (
    <div className="toolbar">
      <Group px="md" py="sm" gap="xs" className="filters">
        <Select
          size="xs"
          className="filter"
          aria-label="Kind"
          placeholder="Anything"
          clearable
          clearButtonProps={{ 'aria-label': 'Anything' }}
          data={ACT_KINDS}
          value={address.get('kind')}
          onChange={choose('kind')}
        />
        <Select
          size="xs"
          className="filter"
          aria-label="By"
          placeholder="By anyone"
          clearable
          clearButtonProps={{ 'aria-label': 'By anyone' }}
          data={data.map(({ userId, email }) => ({ value: userId, label: email }))}
          value={address.get('by')}
          onChange={choose('by')}
        />
        {(['from', 'to'] as const).map((name) => (
          <DateField
            key={name}
            size="xs"
            className="filter-date"
            aria-label={name === 'from' ? 'From' : 'To'}
            value={address.get(name) ?? ''}
            onChange={choose(name)}
          />
        ))}
      </Group>
    </div>
  );
}

const LINES_MAX = 8;

function ActRow({ line }: { line: Line }) {
  const { data: wallets = [] } = useQuery(walletNamesQuery);
  const bankName = useBankNames();
  const walletName = (id: string) => wallets.find((wallet) => wallet.id === id)?.name;
  const lines = linesOf(line, { walletName, bankName });
  const shown = lines.slice(0, LINES_MAX);
  return (
    <Row>
      <Cell>
        <Text size="sm" fw={500} className="wrap">
          {actInWords(line.act)}
        </Text>
        {shown.length > 0 && (
          <Text size="xs" className="wrap">
            {shown.join(' · ')}
          </Text>
        )}
        {lines.length > shown.length && (
          <Text size="xs">And {lines.length - shown.length} more, all in the CSV.</Text>
        )}
        <Text size="xs" c="dimmed" className="wrap">
          {line.actor ?? 'The service'}
          {line.address && ` from ${line.address}`}
        </Text>
      </Cell>
      <Cell className="when small">
        <Moment at={line.at} />
      </Cell>
    </Row>
  );
}
