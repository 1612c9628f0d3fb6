import { useQuery } from '@tanstack/react-query';
import { memo } from 'react';
import type { Transaction } from '../../api/types.js';
import { walletNamesQuery } from '../../api/wallet-list.js';
import { Answer } from '../../parts/loading/answer.js';
import { Card } from '../../parts/display/card.js';
import { Empty } from '../../parts/lists/empty.js';
import { EntryRow, PaymentRow } from '../../parts/lists/payment-row.js';
import { Rows, RowsLoading } from '../../parts/lists/rows.js';
import { newestOf, PAYMENTS_READ } from './happened.domain.js';
import { recentQuery } from './recent.js';

/** The newest payments and what else moved money, over all wallets; repeats are one row. */
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
              {events.map(({ payments, entry }) => {
                const [payment] = payments;
                if (payments.length > 1)
                  return (
                    <Repeated
                      key={payment?.id}
                      payments={payments}
                      isCut={payments.at(-1) === recent.data?.payments[PAYMENTS_READ - 1]}
                      wallet={nameOf.get(payment?.walletId ?? '')}
                    />
                  );
                return payment ? (
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
                );
              })}
            </Rows>
          )
        }
      </Answer>
    </Card>
  );
});

/** Equal payments as one row: their count and sum, and a link to the list of them. */
function Repeated({
  payments,
  isCut,
  wallet,
}: {
  payments: readonly Transaction[];
  /** There may be more of them than were read. */
  isCut: boolean;
  wallet: string | undefined;
}) {
  const [first] = payments;
  if (!first) return null;
  const { key, ...newest } = first;
  const isOfOneKey = payments.every((each) => each.key?.id === key?.id);
  const { walletId, merchantName, status, blockReason } = newest;
  const filter = new URLSearchParams({ wallet: walletId, merchant: merchantName, status });
  if (blockReason !== null) filter.set('reason', blockReason);
  const amount = payments.reduce((sum, each) => sum + each.amount, 0);
  // What each was for is in the list.
  const all = {
    ...newest,
    merchantName: `${isCut ? 'Last ' : ''}${payments.length} × ${merchantName}`,
    ...(key && isOfOneKey && { key }),
    amount,
    reason: null,
  };
  return <PaymentRow payment={all} to={`/payments?${filter.toString()}`} wallet={wallet} />;
}
