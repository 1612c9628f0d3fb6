import { Text, VisuallyHidden } from '@mantine/core';
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import {
  ledger as readLedger,
  ledgerCsv,
  transaction as readTransaction,
  withdrawals as readWithdrawals,
} from '../../api/calls.js';
import type { LedgerEntry } from '../../api/types.js';
import { useBankNames } from '../../banks.js';
import { type EntryInWords, entryInWords, isByOwner, withdrawalInWords } from '../../ledger-words.js';
import { Answer } from '../../parts/answer.js';
import { Card } from '../../parts/card.js';
import { Csv } from '../../parts/csv.js';
import { Empty } from '../../parts/empty.js';
import { Moment } from '../../parts/moment.js';
import { Money } from '../../parts/money.js';
import { Pager } from '../../parts/pager.js';
import { Rows, RowsLoading, What } from '../../parts/rows.js';
import { useAddress } from '../../parts/use-address.js';
import { WATCHED_MS } from '../../poll-intervals.js';

export function Ledger({ walletId }: { walletId: string }) {
  const address = useAddress();
  const page = address.page();
  const query = useQuery({
    queryKey: ['ledger', walletId, page],
    queryFn: () => readLedger(walletId, page),
    refetchInterval: WATCHED_MS,
    placeholderData: keepPreviousData,
  });
  const merchantOf = useMerchants(walletId, query.data?.data ?? []);
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
                      words={entryInWords(entry, {
                        merchant: merchantOf.get(entry.transactionId ?? ''),
                        withdrawal: withdrawals.of.get(entry.reference),
                        isMove: withdrawals.areAll,
                      })}
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

/** Whom the payments of these entries were for, by transaction id; each is asked for once. */
function useMerchants(walletId: string, entries: readonly LedgerEntry[]): ReadonlyMap<string, string> {
  const ids = [...new Set(entries.flatMap(({ transactionId }) => transactionId ?? []))];
  return useQueries({
    queries: ids.map((id) => ({
      queryKey: ['merchant-of', walletId, id],
      queryFn: async () => (await readTransaction(walletId, id)).merchantName,
      staleTime: Infinity,
      refetchInterval: false as const,
    })),
    combine: (found) => new Map(ids.map((id, i) => [id, found[i]?.data ?? ''])),
  });
}

/** What the owner took out of the wallet, by id; asked for only where there is any. */
function useWithdrawals(walletId: string, entries: readonly LedgerEntry[]) {
  const bankName = useBankNames();
  const { data } = useQuery({
    queryKey: ['withdrawals', walletId],
    queryFn: () => readWithdrawals(walletId),
    enabled: entries.some((entry) => entry.type !== 'topup' && isByOwner(entry)),
    refetchInterval: WATCHED_MS,
  });
  return {
    of: new Map(data?.newest.map((each) => [each.id, withdrawalInWords(each, bankName)])),
    areAll: data?.areAll,
  };
}

function EntryRow({ entry, words, to }: { entry: LedgerEntry; words: EntryInWords; to: { search: string } }) {
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
