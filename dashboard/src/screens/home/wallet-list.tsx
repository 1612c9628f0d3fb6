import { Group, NativeSelect, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { memo } from 'react';
import { type ListedWallet, WALLET_SORTS, type WalletQuery, walletsQuery } from '../../api/wallet-list.js';
import { Allowance } from '../../parts/money/allowance.js';
import { Answer } from '../../parts/loading/answer.js';
import { Card } from '../../parts/display/card.js';
import { Empty } from '../../parts/lists/empty.js';
import { SearchIcon } from '../../parts/display/icons.js';
import { Money } from '../../parts/money/money.js';
import { Pager } from '../../parts/lists/pager.js';
import { Cell, Row, RowLink, RowMore, Rows, RowsLoading } from '../../parts/lists/rows.js';
import { WalletTag } from '../../parts/display/tag.js';
import { useAddress } from '../../parts/state/use-address.js';
import { useTyped } from '../../parts/forms/use-typed.js';
import { day } from '../../text/time.js';
import { heldInPeriod } from '../../wallet/wallet-limits.js';
import { isActive } from '../../wallet/wallet-status.js';

/** Fewer than this are seen at a glance. */
const SEARCHED_FROM = 6;
/** More stand on several pages. */
const PAGED_FROM = 11;
const NAME_MAX = 100;

const SORT_NAMES: Record<WalletQuery['sort'], string> = {
  newest: 'Newest first',
  name: 'Name',
  balance: 'Highest balance',
  spent: 'Most spent',
  expiry: 'Expires soonest',
};

/** The wallets, searched, sorted and by pages. `count`: of all of them. */
export const WalletList = memo(function WalletList({ count }: { count: number }) {
  const address = useAddress();
  const search = (address.get('search') ?? '').slice(0, NAME_MAX);
  const asked = { search, sort: address.oneOf('sort', WALLET_SORTS), page: address.page() };
  const wallets = useQuery({ ...walletsQuery(asked), placeholderData: keepPreviousData });
  return (
    <Card title="Your wallets" flush aside={count >= SEARCHED_FROM && <Choices asked={asked} />}>
      <Answer
        of={wallets}
        what="Your wallets"
        loading={<RowsLoading kind="wallet" rows={Math.min(count, PAGED_FROM - 1)} />}
      >
        {({ data, pagination }) => (
          <>
            {data.length === 0 ? (
              <Empty title="No wallet found">No wallet’s name contains “{search}”.</Empty>
            ) : (
              <Rows kind="wallet" label="Your wallets">
                {data.map(({ wallet, stats }) => (
                  <WalletRow key={wallet.id} wallet={wallet} stats={stats} />
                ))}
              </Rows>
            )}
            {count >= PAGED_FROM && data.length > 0 && <Pager of={pagination} one="wallet" />}
          </>
        )}
      </Answer>
    </Card>
  );
});

function Choices({ asked: { search, sort } }: { asked: WalletQuery }) {
  const address = useAddress();
  // The first page of what is then found.
  const choose = (changes: { search?: string; sort?: string | null }) =>
    address.set({ ...changes, page: null }, { replace: true });
  const typed = useTyped(search, (text) => choose({ search: text }));
  return (
    <Group gap="xs" wrap="nowrap" className="list-choices">
      <TextInput
        size="xs"
        aria-label="Search wallets"
        placeholder="Search wallets"
        maxLength={NAME_MAX}
        leftSection={<SearchIcon size={14} />}
        value={typed.value}
        onChange={({ currentTarget: { value } }) => typed.type(value)}
      />
      <NativeSelect
        size="xs"
        w={150}
        aria-label="Sort by"
        value={sort}
        data={WALLET_SORTS.map((value) => ({ value, label: SORT_NAMES[value] }))}
        onChange={({ currentTarget: { value } }) =>
          choose({ sort: value === WALLET_SORTS[0] ? null : value })
        }
      />
    </Group>
  );
}

const WalletRow = memo(function WalletRow({ wallet, stats }: ListedWallet) {
  return (
    <Row to={`/wallets/${wallet.id}`}>
      <Cell className="named">
        <span className="strong" title={wallet.name}>
          <RowLink>{wallet.name}</RowLink>
        </span>
        <RowMore>{!isActive(wallet) && <WalletTag wallet={wallet} />}</RowMore>
      </Cell>
      <Cell className="used">
        <Allowance
          spent={stats?.spentThisPeriod ?? 0}
          held={stats && heldInPeriod(stats)}
          limit={wallet.spendLimitPeriod}
        />
      </Cell>
      <Cell className="when small" title={wallet.expiry}>
        {day(wallet.expiry)}
      </Cell>
      <Cell className="end amount">
        <Money kobo={wallet.balance} bold />
      </Cell>
    </Row>
  );
});
