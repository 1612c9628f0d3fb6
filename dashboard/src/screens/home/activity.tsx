import { useQuery } from '@tanstack/react-query';
import { recentLedger, recentTransactions } from '../../api/calls.js';
import type { LedgerEntry, Transaction, Wallet } from '../../api/types.js';
import { Answer } from '../../parts/answer.js';
import { Card } from '../../parts/card.js';
import { Empty } from '../../parts/empty.js';
import { MoneyInRow, PaymentRow } from '../../parts/payment-row.js';
import { Rows, RowsLoading } from '../../parts/rows.js';
import { OVERVIEW_MS } from '../../poll-intervals.js';

const SHOWN = 10;

/** The newest payments and what came in, over all wallets. */
export function Activity({ wallets }: { wallets: readonly Wallet[] | undefined }) {
  const activity = useQuery({
    queryKey: ['recent'],
    queryFn: async () => {
      const [payments, entries] = await Promise.all([recentTransactions(SHOWN), recentLedger()]);
      return newestOf(payments, entries);
    },
    refetchInterval: OVERVIEW_MS,
  });
  const nameOf = new Map(wallets?.map(({ id, name }) => [id, name]));
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
            <Rows kind="payment">
              {events.map(({ payment, entry }) => (
                <li key={payment?.id ?? entry?.id}>
                  {payment && (
                    <PaymentRow
                      payment={payment}
                      to={`/wallets/${payment.walletId}?transaction=${payment.id}`}
                      wallet={nameOf.get(payment.walletId)}
                    />
                  )}
                  {entry && (
                    <MoneyInRow
                      entry={entry}
                      to={`/wallets/${entry.walletId}?tab=ledger`}
                      wallet={nameOf.get(entry.walletId)}
                    />
                  )}
                </li>
              ))}
            </Rows>
          )
        }
      </Answer>
    </Card>
  );
}

interface Happened {
  readonly at: string;
  readonly payment?: Transaction;
  readonly entry?: LedgerEntry;
}

function newestOf(payments: readonly Transaction[], entries: readonly LedgerEntry[]): Happened[] {
  const cameIn = entries.filter(({ type }) => type === 'topup');
  const all: Happened[] = [
    ...payments.map((payment) => ({ at: payment.createdAt, payment })),
    ...cameIn.map((entry) => ({ at: entry.createdAt, entry })),
  ];
  return all.sort((a, b) => b.at.localeCompare(a.at)).slice(0, SHOWN);
}
