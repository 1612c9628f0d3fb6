import { useQuery } from '@tanstack/react-query';
import { memo } from 'react';
import type { LedgerEntry, Transaction } from '../../api/types.js';
import { walletNamesQuery } from '../../api/wallet-list.js';
import { Answer } from '../../parts/loading/answer.js';
import { Card } from '../../parts/display/card.js';
import { Empty } from '../../parts/lists/empty.js';
import { EntryRow, PaymentRow } from '../../parts/lists/payment-row.js';
import { Rows, RowsLoading } from '../../parts/lists/rows.js';
import { ACTIVITY_SHOWN, recentQuery } from './recent.js';

/** The newest payments and what else moved money, over all wallets. */
export const Activity = memo(function Activity() {
  const names = useQuery(walletNamesQuery);
  const recent = useQuery(recentQuery);
  const isNamed = names.data !== undefined || names.isError;
  const activity = {
    ...recent,
    data: isNamed && recent.data ? newestOf(recent.data.payments, recent.data.entries) : undefined,
  };
  const nameOf = new Map(names.data?.map(({ id, name }) => [id, name]));
  return (
    <Card title="Activity" flush>
      <Answer of={activity} what="The activity" loading={<RowsLoading kind="payment" rows={8} />}>
        {(events) =>
          events.length === 0 ? (
            <Empty title="No activity yet">
              Open a wallet to fund it and to make a test payment. Each payment shows here, paid or blocked,
              beside the money that comes in.
            </Empty>
          ) : (
            <Rows kind="payment" label="Activity">
              {events.map(({ payment, entry }) =>
                payment ? (
                  <PaymentRow
                    key={payment.id}
                    payment={payment}
                    to={`/wallets/${payment.walletId}?transaction=${payment.id}`}
                    wallet={nameOf.get(payment.walletId)}
                  />
                ) : (
                  entry && (
                    <EntryRow
                      key={entry.id}
                      entry={entry}
                      to={`/wallets/${entry.walletId}?tab=ledger`}
                      wallet={nameOf.get(entry.walletId)}
                    />
                  )
                ),
              )}
            </Rows>
          )
        }
      </Answer>
    </Card>
  );
});

interface Happened {
  readonly at: string;
  readonly payment?: Transaction;
  readonly entry?: LedgerEntry;
}

function newestOf(payments: readonly Transaction[], entries: readonly LedgerEntry[]): Happened[] {
  // Shown as the payment already.
  const others = entries.filter(({ transactionId }) => transactionId === null);
  const all: Happened[] = [
    ...payments.map((payment) => ({ at: payment.createdAt, payment })),
    ...others.map((entry) => ({ at: entry.createdAt, entry })),
  ];
  return all.sort((a, b) => b.at.localeCompare(a.at)).slice(0, ACTIVITY_SHOWN);
}
