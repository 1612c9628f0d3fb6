import { Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ledger as readLedger, ledgerCsv, type LedgerQuery } from '../../api/calls.js';
import { queryKeys } from '../../api/query-keys.js';
import type { LedgerLine, LedgerTotals } from '../../api/types.js';
import { withdrawalsQuery } from '../../api/withdrawals.js';
import { useBankNames } from '../../text/banks.js';
import { type EntryInWords, lineInWords, withdrawalInWords } from '../../wallet/ledger-words.js';
import { Answer } from '../../parts/loading/answer.js';
import { Card } from '../../parts/display/card.js';
import { Csv } from '../../parts/lists/csv.js';
import { Empty } from '../../parts/lists/empty.js';
import { Moment } from '../../parts/display/moment.js';
import { Money } from '../../parts/money/money.js';
import { Pager } from '../../parts/lists/pager.js';
import { Cell, Row, Rows, RowsLoading, What } from '../../parts/lists/rows.js';
import { Sums } from '../../parts/lists/sums.js';
import { useAddress } from '../../parts/state/use-address.js';
import { watched } from '../../live/poll-intervals.js';
import { LedgerFilters, useLedgerFilter } from './ledger-filters.js';

export function Ledger({ walletId }: { walletId: string }) {
  const address = useAddress();
  const page = address.page();
  const { filter, isFiltered, problem } = useLedgerFilter();
  const query = useQuery({
    queryKey: queryKeys.ledger(walletId, page, filter),
    queryFn: () => readLedger(walletId, filter, page),
    refetchInterval: watched,
    placeholderData: keepPreviousData,
  });
  const withdrawals = useWithdrawals(walletId, query.data?.data ?? []);
  return (
    <Card title="Ledger" aside={<Csv href={ledgerCsv(walletId, filter)} />} flush>
      <LedgerFilters problem={problem} />
      <Answer of={query} what="The ledger" loading={<RowsLoading kind="entry" rows={10} />}>
        {({ data, pagination, totals, timeZone }) =>
          data.length === 0 && !isFiltered ? (
            <Empty title="No money has moved yet">
              Transfer money to this wallet’s account, and it shows here.
            </Empty>
          ) : (
            <>
              <LedgerSums totals={totals} type={filter.type} />
              {data.length === 0 ? (
                <Empty title="No entry matches">Choose other days or another type to see more.</Empty>
              ) : (
                <Rows kind="entry" label="Ledger">
                  {data.map((entry) => (
                    <EntryRow
                      key={entry.id}
                      entry={entry}
                      words={lineInWords(entry, withdrawals.get(entry.reference))}
                      to={address.to({ transaction: entry.transactionId })}
                    />
                  ))}
                </Rows>
              )}
              <Pager of={pagination} one="entry" many="entries" />
              {isFiltered && (
                <Text size="xs" c="dimmed" px="md" pb="sm">
                  Days begin at midnight in {timeZone}, as in statements.
                </Text>
              )}
            </>
          )
        }
      </Answer>
    </Card>
  );
}

const OF_TYPE = {
  topup: ['In', 'received'],
  debit: ['Out', 'paidOut'],
  refund: ['Refunds', 'refunded'],
} as const;

/** With the balances around the days; entries of one type don't lead from one balance to the other. */
function LedgerSums({ totals, type }: { totals: LedgerTotals; type: LedgerQuery['type'] }) {
  const { opening, net, closing } = totals;
  const amount = (kobo: number | null) => (kobo === null ? 'Choose fewer days' : <Money kobo={kobo} bold />);
  const sumOf = ([name, of]: (typeof OF_TYPE)[keyof typeof OF_TYPE]) => [name, amount(totals[of])] as const;
  if (type) return <Sums parts={[sumOf(OF_TYPE[type])]} />;
  return (
    <Sums
      parts={[
        ['Opening', amount(opening)],
        ...Object.values(OF_TYPE).map(sumOf),
        ['Net', net === 0 ? amount(0) : <Money kobo={Math.abs(net)} bold signed={net < 0 ? '−' : '+'} />],
        ['Closing', amount(closing)],
      ]}
    />
  );
}

/** By id; only if there are any. */
function useWithdrawals(walletId: string, entries: readonly LedgerLine[]) {
  const bankName = useBankNames();
  const { data } = useQuery({
    ...withdrawalsQuery(walletId),
    enabled: entries.some(({ cause }) => cause === 'withdrawal'),
  });
  return new Map(data?.map((each) => [each.id, withdrawalInWords(each, bankName)]));
}

function EntryRow({ entry, words, to }: { entry: LedgerLine; words: EntryInWords; to: string }) {
  const isOut = entry.type === 'debit';
  const { key, reference } = entry;
  const by = key ? `, by ${key.name ?? `${key.prefix}…`}` : '';
  return (
    <Row {...(entry.transactionId && { to })}>
      <What name={words.name} more={<span title={`${reference}${by}`}>{words.more}</span>} />
      <Cell className="when small">
        <Moment at={entry.createdAt} />
      </Cell>
      <Cell className={isOut ? 'end amount' : 'end amount good'}>
        <Money kobo={entry.amount} bold signed={isOut ? '−' : '+'} />
      </Cell>
      <Cell className="end balance muted">
        <Money kobo={entry.balanceAfter} />
      </Cell>
    </Row>
  );
}
