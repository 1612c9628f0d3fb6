import { Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ledger as readLedger } from '../../api/calls.js';
import type { LedgerEntry } from '../../api/types.js';
import { WATCHED_MS } from '../../pace.js';
import { Answer } from '../../parts/answer.js';
import { Card } from '../../parts/card.js';
import { Empty } from '../../parts/empty.js';
import { Moment } from '../../parts/moment.js';
import { Money } from '../../parts/money.js';
import { Pager } from '../../parts/pager.js';
import { RowsWaiting } from '../../parts/waiting.js';
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
    <Card title="Every change of the balance" aside={<Download walletId={walletId} what="ledgers" />} flush>
      <Answer of={query} what="The ledger" waiting={<RowsWaiting rows={10} kind="entry" />}>
        {({ data, pagination }) =>
          data.length === 0 ? (
            <Empty title="No money has moved yet">
              Send money to the account of this wallet, and it is credited here.
            </Empty>
          ) : (
            <>
              <ul className="rows">
                {data.map((entry) => (
                  <li key={entry.id}>
                    <EntryRow entry={entry} />
                  </li>
                ))}
              </ul>
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
  return (
    <div className="row entry">
      <Text size="sm" c="dimmed" component="div">
        <Moment at={entry.createdAt} />
      </Text>
      <div>
        <Text fw={500}>{ENTRY_NAMES[entry.type]}</Text>
        <Text size="xs" c="dimmed" truncate title={entry.reference}>
          {entry.narration ?? entry.reference}
        </Text>
      </div>
      <Text fw={600} className={isOut ? 'money end' : 'money end good'}>
        {isOut ? '−' : '+'}
        <Money kobo={entry.amount} />
      </Text>
      <Text size="sm" c="dimmed" className="end">
        <Text span hiddenFrom="sm" size="xs">
          left{' '}
        </Text>
        <Money kobo={entry.balanceAfter} />
      </Text>
    </div>
  );
}
