import { Group, SegmentedControl } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { transactions as readTransactions } from '../../api/calls.js';
import type { Decision } from '../../api/types.js';
import { WATCHED_MS } from '../../poll-intervals.js';
import { Answer } from '../../parts/answer.js';
import { Card } from '../../parts/card.js';
import { Empty } from '../../parts/empty.js';
import { Pager } from '../../parts/pager.js';
import { TransactionRow } from '../../parts/transaction-row.js';
import { Rows, RowsLoading } from '../../parts/rows.js';
import { Download } from './download.js';

export function Transactions({ walletId }: { walletId: string }) {
  const [decision, setDecision] = useState<Decision | 'all'>('all');
  const [page, setPage] = useState(1);
  const query = useQuery({
    queryKey: ['transactions', walletId, decision, page],
    queryFn: () => readTransactions(walletId, page, decision === 'all' ? undefined : decision),
    refetchInterval: WATCHED_MS,
    placeholderData: keepPreviousData,
  });
  const choose = (value: string) => {
    setDecision(value as Decision | 'all');
    setPage(1);
  };
  return (
    <Card title="Attempts to pay" aside={<Download walletId={walletId} what="transactions" />} flush>
      <Group px="md" py="sm" className="filters">
        <SegmentedControl
          size="xs"
          aria-label="Which attempts"
          value={decision}
          onChange={choose}
          data={[
            { value: 'all', label: 'All' },
            { value: 'approved', label: 'Approved' },
            { value: 'blocked', label: 'Blocked' },
          ]}
        />
      </Group>
      <Answer of={query} what="The transactions" loading={<RowsLoading kind="transaction" rows={10} />}>
        {({ data, pagination }) =>
          data.length === 0 ? (
            <Empty title={decision === 'all' ? 'No payments yet' : `Nothing ${decision}`}>
              {decision === 'all'
                ? 'As soon as the agent asks to pay, it shows up here: approved or blocked, with the reason.'
                : 'Choose All to see the other attempts.'}
            </Empty>
          ) : (
            <>
              <Rows kind="transaction">
                {data.map((each) => (
                  <li key={each.id}>
                    <TransactionRow transaction={each} to={{ search: `?transaction=${each.id}` }} />
                  </li>
                ))}
              </Rows>
              <Pager of={pagination} onChange={setPage} one="attempt" />
            </>
          )
        }
      </Answer>
    </Card>
  );
}
