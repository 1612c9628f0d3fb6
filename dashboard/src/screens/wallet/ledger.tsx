import { Text, VisuallyHidden } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { ledger as readLedger, ledgerCsv } from '../../api/calls.js';
import { queryKeys } from '../../api/query-keys.js';
import type { LedgerEntry } from '../../api/types.js';
import { withdrawalsQuery } from '../../api/withdrawals.js';
import { useBankNames } from '../../text/banks.js';
import {
  type EntryInWords,
  entryInWords,
  isWithdrawal,
  withdrawalInWords,
} from '../../wallet/ledger-words.js';
import { Answer } from '../../parts/loading/answer.js';
import { Card } from '../../parts/display/card.js';
import { Csv } from '../../parts/lists/csv.js';
import { Empty } from '../../parts/lists/empty.js';
import { Moment } from '../../parts/display/moment.js';
import { Money } from '../../parts/money/money.js';
import { Pager } from '../../parts/lists/pager.js';
import { Rows, RowsLoading, What } from '../../parts/lists/rows.js';
import { useAddress } from '../../parts/state/use-address.js';
import { watched } from '../../live/poll-intervals.js';

export function Ledger({ walletId }: { walletId: string }) {
  const address = useAddress();
  const page = address.page();
  const query = useQuery({
    queryKey: queryKeys.ledger(walletId, page),
    queryFn: () => readLedger(walletId, page),
    refetchInterval: watched,
    placeholderData: keepPreviousData,
  });
  const withdrawals = useWithdrawals(walletId, query.data?.data ?? []);
  return (
    <Card title="Ledger" aside={<Csv href={ledgerCsv(walletId)} />} flush>
      <Answer of={query} what="The ledger" loading={<RowsLoading kind="entry" rows={10} />}>
        {({ data, pagination }) =>
          data.length === 0 ? (
            <Empty title="No money has moved yet">
              Transfer money to this wallet’s account, and it shows here.
            </Empty>
          ) : (
            <>
              <Rows kind="entry">
                {data.map((entry) => (
                  <li key={entry.id}>
                    <EntryRow
                      entry={entry}
                      words={entryInWords(entry, withdrawals.get(entry.reference))}
                      to={address.to({ transaction: entry.transactionId })}
                    />
                  </li>
                ))}
              </Rows>
              <Pager
                of={pagination}
                onChange={(to) => address.set({ page: to === 1 ? null : String(to) })}
                one="entry"
                many="entries"
              />
            </>
          )
        }
      </Answer>
    </Card>
  );
}

/** By id; only if there are any. */
function useWithdrawals(walletId: string, entries: readonly LedgerEntry[]) {
  const bankName = useBankNames();
  const { data } = useQuery({
    ...withdrawalsQuery(walletId),
    enabled: entries.some(isWithdrawal),
  });
  return new Map(data?.map((each) => [each.id, withdrawalInWords(each, bankName)]));
}

function EntryRow({ entry, words, to }: { entry: LedgerEntry; words: EntryInWords; to: string }) {
  const isOut = entry.type === 'debit';
  const line = (
    <>
      <What name={words.name} more={<span title={entry.reference}>{words.more}</span>} />
      <Text size="xs" c="dimmed" component="span" className="when">
        <Moment at={entry.createdAt} />
      </Text>
      <span className={isOut ? 'end amount' : 'end amount good'}>
        <Money kobo={entry.amount} bold signed={isOut ? '−' : '+'} />
      </span>
      <Text size="sm" c="dimmed" component="span" className="end balance">
        <VisuallyHidden>Balance </VisuallyHidden>
        <Money kobo={entry.balanceAfter} />
      </Text>
    </>
  );
  return entry.transactionId ? (
    <Link to={to} className="row" preventScrollReset>
      {line}
    </Link>
  ) : (
    <div className="row">{line}</div>
  );
}
