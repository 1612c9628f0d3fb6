import { Text, VisuallyHidden } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { ledger as readLedger } from '../../api/calls.js';
import type { LedgerEntry } from '../../api/types.js';
import { WATCHED_MS } from '../../poll-intervals.js';
import { Answer } from '../../parts/answer.js';
import { Card } from '../../parts/card.js';
import { Empty } from '../../parts/empty.js';
import { Moment } from '../../parts/moment.js';
import { Money } from '../../parts/money.js';
import { Pager } from '../../parts/pager.js';
import { Rows, RowsLoading } from '../../parts/rows.js';
import { Download } from './download.js';

export function Ledger({ walletId }: { walletId: string }) {
  const [page, setPage] = useState(1);
  const query = useQuery({
    queryKey: ['ledger', walletId, page],
    queryFn: () => readLedger(walletId, page),
    refetchInterval: WATCHED_MS,
    placeholderData: keepPreviousData,
  });
  return (
    <Card title="Balance changes" aside={<Download walletId={walletId} what="ledgers" />} flush>
      <Answer of={query} what="The ledger" loading={<RowsLoading kind="entry" rows={10} />}>
        {({ data, pagination }) =>
          data.length === 0 ? (
            <Empty title="No money has moved yet">
              Send money to the account of this wallet, and it is credited here.
            </Empty>
          ) : (
            <>
              <Rows kind="entry">
                {data.map((entry) => (
                  <li key={entry.id}>
                    <EntryRow entry={entry} />
                  </li>
                ))}
              </Rows>
              <Pager of={pagination} onChange={setPage} one="entry" many="entries" />
            </>
          )
        }
      </Answer>
    </Card>
  );
}

const ENTRY_NAMES = { topup: 'Money in', debit: 'Payment', refund: 'Refund' } as const;

function EntryRow({ entry }: { entry: LedgerEntry }) {
  const isOut = entry.type === 'debit';
  const line = (
    <>
      <div>
        <Text size="sm" fw={500}>
          {ENTRY_NAMES[entry.type]}
        </Text>
        <Text size="xs" c="dimmed" truncate title={entry.reference}>
          {entry.narration ?? entry.reference}
        </Text>
      </div>
      <Text size="xs" c="dimmed" component="div">
        <Moment at={entry.createdAt} />
      </Text>
      <Text size="sm" fw={600} className={isOut ? 'money' : 'money good'}>
        {isOut ? '−' : '+'}
        <Money kobo={entry.amount} />
      </Text>
      <Text size="sm" c="dimmed">
        <VisuallyHidden>Balance </VisuallyHidden>
        <Money kobo={entry.balanceAfter} />
      </Text>
    </>
  );
  return entry.transactionId ? (
    <Link
      to={{ search: `?tab=ledger&transaction=${entry.transactionId}` }}
      className="row entry"
      preventScrollReset
    >
      {line}
    </Link>
  ) : (
    <div className="row entry">{line}</div>
  );
}
