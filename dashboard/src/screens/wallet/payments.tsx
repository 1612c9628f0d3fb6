import { Group, SegmentedControl } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { transactions as readTransactions } from '../../api/calls.js';
import { Answer } from '../../parts/answer.js';
import { Card } from '../../parts/card.js';
import { Empty } from '../../parts/empty.js';
import { Pager } from '../../parts/pager.js';
import { PaymentRow } from '../../parts/payment-row.js';
import { Rows, RowsLoading } from '../../parts/rows.js';
import { useAddress } from '../../parts/use-address.js';
import { WATCHED_MS } from '../../poll-intervals.js';
import { Download } from './download.js';

const FILTERS = ['all', 'approved', 'blocked'] as const;

export function Payments({ walletId }: { walletId: string }) {
  const address = useAddress();
  const status = address.oneOf('status', FILTERS);
  const page = address.page();
  const query = useQuery({
    queryKey: ['transactions', walletId, status, page],
    queryFn: () => readTransactions(walletId, page, status === 'all' ? undefined : status),
    refetchInterval: WATCHED_MS,
    placeholderData: keepPreviousData,
  });
  return (
    <Card title="Payments" aside={<Download walletId={walletId} what="transactions" />} flush>
      <Group px="md" py="sm" className="toolbar">
        <SegmentedControl
          size="xs"
          aria-label="Status"
          value={status}
          onChange={(value) => address.set({ status: value === 'all' ? null : value, page: null })}
          data={[
            { value: 'all', label: 'All' },
            { value: 'approved', label: 'Approved' },
            { value: 'blocked', label: 'Blocked' },
          ]}
        />
      </Group>
      <Answer of={query} what="The payments" loading={<RowsLoading kind="payment" rows={10} />}>
        {({ data, pagination }) =>
          data.length === 0 ? (
            <Empty title={status === 'all' ? 'No payments yet' : 'No such payments'}>
              {status === 'all'
                ? 'Each payment that the agent requests shows here: paid or blocked, with the reason.'
                : 'Choose All to see the others.'}
            </Empty>
          ) : (
            <>
              <Rows kind="payment">
                {data.map((each) => (
                  <li key={each.id}>
                    <PaymentRow payment={each} to={address.to({ transaction: each.id })} />
                  </li>
                ))}
              </Rows>
              <Pager
                of={pagination}
                onChange={(to) => address.set({ page: to === 1 ? null : String(to) })}
                one="payment"
              />
            </>
          )
        }
      </Answer>
    </Card>
  );
}
