import { Button, Group, Stack, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { allApprovals, pendingApprovals } from '../../api/approvals.js';
import { queryKeys } from '../../api/query-keys.js';
import type { Approval } from '../../api/types.js';
import { walletNamesQuery } from '../../api/wallet-list.js';
import { Card } from '../../parts/display/card.js';
import { Moment } from '../../parts/display/moment.js';
import { PaymentTag } from '../../parts/display/tag.js';
import { Choice } from '../../parts/forms/choice.js';
import { useTitle } from '../../parts/frame/title.js';
import { Empty } from '../../parts/lists/empty.js';
import { Pager } from '../../parts/lists/pager.js';
import { Cell, Row, Rows, What } from '../../parts/lists/rows.js';
import { Answer } from '../../parts/loading/answer.js';
import { OnDemand } from '../../parts/loading/boundary.js';
import { loadable } from '../../parts/loading/loadable.js';
import { BlocksLoading } from '../../parts/loading/loading.js';
import { Money } from '../../parts/money/money.js';
import { useAddress } from '../../parts/state/use-address.js';
import { watched, watchedToTheEnd } from '../../live/poll-intervals.js';
import { Queue } from './queue.js';
import { useShortcutChoice } from './shortcuts.js';

const Help = loadable(
  () => import('./help.js'),
  (part) => part.default,
);

const SHOWN = ['waiting', 'all'] as const;

/** The payments that wait for their owner, with all that one needs to decide. */
export function Approvals() {
  useTitle('Approvals');
  const address = useAddress();
  const shown = address.oneOf('show', SHOWN);
  const [help, setHelp] = useState<'unused' | 'open' | 'closed'>('unused');
  const [hasKeys, chooseKeys] = useShortcutChoice();
  return (
    <Stack gap="lg">
      <Group justify="space-between">
        <Title order={1}>Approvals</Title>
        <Group gap="xs">
          <Button variant="subtle" size="compact-sm" onClick={() => setHelp('open')}>
            Help
          </Button>
          <Choice
            label="Show"
            value={shown}
            onChange={(value) =>
              address.set({ show: value === SHOWN[0] ? null : value, page: null, id: null })
            }
            data={[
              { value: 'waiting', label: 'Waiting' },
              { value: 'all', label: 'All' },
            ]}
          />
        </Group>
      </Group>
      {shown === 'waiting' ? <Waiting hasKeys={hasKeys} /> : <All />}
      {help !== 'unused' && (
        <OnDemand onFailed={() => setHelp('unused')}>
          <Help
            opened={help === 'open'}
            onClose={() => setHelp('closed')}
            hasKeys={hasKeys}
            onKeys={chooseKeys}
          />
        </OnDemand>
      )}
    </Stack>
  );
}

function Waiting({ hasKeys }: { hasKeys: boolean }) {
  const page = useAddress().page();
  const query = useQuery({
    queryKey: queryKeys.pendingApprovals(page),
    queryFn: () => pendingApprovals(page),
    refetchInterval: watched,
    placeholderData: keepPreviousData,
  });
  return (
    <Answer of={query} what="The approvals" loading={<BlocksLoading heights={[330]} />}>
      {({ data, pagination }) => (
        <Queue
          approvals={data}
          hasKeys={hasKeys}
          pager={<Pages of={pagination} />}
          none={<None title="Waiting for you" words="Nothing waits for you" />}
        />
      )}
    </Answer>
  );
}

function All() {
  const page = useAddress().page();
  const query = useQuery({
    queryKey: queryKeys.allApprovals(page),
    queryFn: () => allApprovals(page),
    // Decided payments may change later.
    refetchInterval: watchedToTheEnd(({ data }) => data.map(({ transaction }) => transaction)),
    placeholderData: keepPreviousData,
  });
  return (
    <Answer of={query} what="The approvals" loading={<BlocksLoading heights={[330]} />}>
      {({ data, pagination }) =>
        data.length === 0 ? (
          <None title="All approvals" words="Nothing yet" />
        ) : (
          <Card title="All approvals" flush>
            <Rows kind="payment" label="All approvals">
              {data.map((approval) => (
                <Decided key={approval.id} approval={approval} />
              ))}
            </Rows>
            <Pages of={pagination} />
          </Card>
        )
      }
    </Answer>
  );
}

function Pages({ of }: { of: Parameters<typeof Pager>[0]['of'] }) {
  return <Pager of={of} one="approval" also={{ id: null }} />;
}

function None({ title, words }: { title: string; words: string }) {
  return (
    <Card title={title} flush>
      <Empty title={words}>
        Set an approval threshold in the rules of a wallet, and payments above it wait here for you.
      </Empty>
    </Card>
  );
}

function Decided({ approval }: { approval: Approval }) {
  const { transaction, note, decidedAt, createdAt, walletId, id } = approval;
  const wallet = useQuery(walletNamesQuery).data?.find((each) => each.id === walletId);
  return (
    <Row to={`/payments?transaction=${id}&of=${walletId}`}>
      <What
        name={transaction.merchantName}
        more={[note ? `“${note}”` : transaction.reason, wallet?.name].filter(Boolean).join(' · ')}
      />
      <Cell className="status">
        <PaymentTag payment={transaction} />
      </Cell>
      <Cell className="when small">
        <Moment at={decidedAt ?? createdAt} />
      </Cell>
      <Cell className="end amount">
        <Money kobo={transaction.amount} bold />
      </Cell>
    </Row>
  );
}
