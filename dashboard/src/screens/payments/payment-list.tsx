import { Button } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Fragment, memo, useMemo } from 'react';
import { SEARCH_PAGE_SIZE, searchPayments, searchPaymentsCsv } from '../../api/calls.js';
import { queryKeys } from '../../api/query-keys.js';
import type { Transaction, WalletName } from '../../api/types.js';
import { Answer } from '../../parts/loading/answer.js';
import { Card } from '../../parts/display/card.js';
import { Csv } from '../../parts/lists/csv.js';
import { Empty } from '../../parts/lists/empty.js';
import { Pages } from '../../parts/lists/pager.js';
import { PaymentRow } from '../../parts/lists/payment-row.js';
import { Line, Rows, RowsLoading } from '../../parts/lists/rows.js';
import { useAddress } from '../../parts/state/use-address.js';
import { filtersOf, isFiltered, NO_FILTER, queryOf } from '../../payments/payment-filters.js';
import { pluralize } from '../../text/pluralize.js';
import { dayOfList, inputOf } from '../../text/time.js';
import { watchedToTheEnd } from '../../live/poll-intervals.js';
import { Filters } from './filters.js';
import { countOf, Totals, useTotals } from './totals.js';

interface Props {
  title: string;
  /** The wallet whose they are. */
  walletId?: string;
  /** All of them, where they are those of several. */
  wallets?: readonly WalletName[];
}

/** The payments of one wallet or of several, searched and filtered. */
export const PaymentList = memo(function PaymentList({ title, walletId, wallets }: Props) {
  const address = useAddress();
  const filters = useMemo(() => filtersOf(address.get), [address]);
  const asked = { ...queryOf(filters), ...(walletId !== undefined && { walletId }) };
  const after = trailOf(address.get('after')).at(-1) ?? null;
  const totals = useTotals(asked);
  const query = useQuery({
    queryKey: queryKeys.payments(asked, after),
    queryFn: () => searchPayments(asked, after),
    refetchInterval: watchedToTheEnd(({ data }) => data),
    placeholderData: keepPreviousData,
  });
  // A key is of one wallet: the one of whatever it paid.
  const ofKey = filters.key === '' ? undefined : query.data?.data[0]?.walletId;
  const nameOf = new Map(wallets?.map(({ id, name }) => [id, name]));
  return (
    <Card title={title} aside={<Csv href={searchPaymentsCsv(asked)} />} flush>
      <Filters
        filters={filters}
        wallets={wallets ?? null}
        walletId={walletId ?? (filters.wallet || ofKey || null)}
      />
      <Answer of={query} what="The payments" loading={<RowsLoading kind="payment" rows={12} />}>
        {({ data, nextCursor }) => (
          <>
            {data.length === 0 ? (
              <None isFiltered={isFiltered(filters)} goesOn={nextCursor !== null} />
            ) : (
              <Rows kind="payment" label="Payments">
                {data.map((payment, i) => (
                  <Fragment key={payment.id}>
                    {isOfNewDay(payment, data[i - 1]) && (
                      <Line kind="payment">{dayOfList(payment.createdAt)}</Line>
                    )}
                    <Row payment={payment} {...(wallets && { wallet: nameOf.get(payment.walletId) ?? '' })} />
                  </Fragment>
                ))}
              </Rows>
            )}
            {data.length > 0 && <Totals of={totals} />}
            <PaymentPages shown={data.length} next={nextCursor} total={countOf(totals)} />
          </>
        )}
      </Answer>
    </Card>
  );
});

const isOfNewDay = ({ createdAt }: Transaction, before: Transaction | undefined) =>
  !before || inputOf(new Date(createdAt)) !== inputOf(new Date(before.createdAt));

/** `wallet`: its name, where several are shown. */
function Row({ payment, wallet }: { payment: Transaction; wallet?: string }) {
  const address = useAddress();
  const to = address.to({ transaction: payment.id, ...(wallet !== undefined && { of: payment.walletId }) });
  return <PaymentRow payment={payment} to={to} wallet={wallet} />;
}

function None(has: { isFiltered: boolean; goesOn: boolean }) {
  const address = useAddress();
  if (has.goesOn) return <Empty title="None found yet">Older payments haven’t been searched.</Empty>;
  if (!has.isFiltered) {
    return (
      <Empty title="No payments yet">
        Each payment that an agent requests shows here: paid or blocked, with the reason.
      </Empty>
    );
  }
  return (
    <Empty
      title="No payment matches"
      action={
        <Button variant="default" size="xs" onClick={() => address.set(NO_FILTER)}>
          Clear filters
        </Button>
      }
    >
      Choose other filters to see more.
    </Empty>
  );
}

/** Cursors kept in the address: so many pages lead back one by one. */
const TRAIL_MAX = 10;

/** The API pages by cursors: the address keeps those of the last pages, the shown one's last. */
function trailOf(after: string | null): readonly string[] {
  return after?.split(',') ?? [];
}

function PaymentPages({ shown, next, total }: { shown: number; next: string | null; total: number | null }) {
  const address = useAddress();
  const trail = trailOf(address.get('after'));
  const page = trail.length === 0 ? 1 : Math.max(2, address.page());
  // The list says itself that there are none.
  if (shown === 0 && page === 1 && next === null) return null;
  const at = (to: number, cursors: readonly string[]) => ({
    page: to <= 1 ? null : String(to),
    after: cursors.slice(-TRAIL_MAX).join(',') || null,
  });
  const before = trail.slice(0, -1);
  return (
    <Pages
      words={pluralize(total ?? shown, 'payment') + (total === null && next !== null ? ' on this page' : '')}
      page={page}
      last={next === null ? page : total && Math.ceil(total / SEARCH_PAGE_SIZE)}
      first={page > 2 ? at(1, []) : null}
      previous={page === 2 || before.length > 0 ? at(page - 1, before) : null}
      next={next === null ? null : at(page + 1, [...trail, next])}
    />
  );
}
