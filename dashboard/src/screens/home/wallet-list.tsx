import { Group, NativeSelect, Text, TextInput } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { Stats, Wallet } from '../../api/types.js';
import { Allowance } from '../../parts/allowance.js';
import { Answer } from '../../parts/answer.js';
import { Card } from '../../parts/card.js';
import { Empty } from '../../parts/empty.js';
import { SearchIcon } from '../../parts/icons.js';
import { Money } from '../../parts/money.js';
import { pageOf, Pager } from '../../parts/pager.js';
import { Rows, RowsLoading } from '../../parts/rows.js';
import { WalletTag } from '../../parts/tag.js';
import { useAddress } from '../../parts/use-address.js';
import { day } from '../../time.js';

const PAGE_SIZE = 10;
/** Fewer than this are seen at a glance. */
const SEARCHED_FROM = 6;

const SORTS = ['newest', 'name', 'balance', 'spent', 'expiry'] as const;
type Sort = (typeof SORTS)[number];

const SORT_NAMES: Record<Sort, string> = {
  newest: 'Newest first',
  name: 'Name',
  balance: 'Highest balance',
  spent: 'Most spent',
  expiry: 'Expires soonest',
};

/** The wallets, searched, sorted and by pages. */
export function WalletList({
  wallets,
  stats,
}: {
  wallets: UseQueryResult<Wallet[]>;
  stats: Stats[] | undefined;
}) {
  const address = useAddress();
  const sort = address.oneOf('sort', SORTS);
  const search = address.get('search') ?? '';
  const spentOf = new Map(stats?.map(({ walletId, spentThisPeriod }) => [walletId, spentThisPeriod]));
  const isSearchable = (wallets.data?.length ?? 0) >= SEARCHED_FROM;
  return (
    <Card
      title="Your wallets"
      flush
      aside={
        isSearchable && (
          <Group gap="xs">
            <TextInput
              size="xs"
              aria-label="Search wallets"
              placeholder="Search wallets"
              leftSection={<SearchIcon size={14} />}
              value={search}
              onChange={(event) =>
                address.set({ search: event.currentTarget.value, page: null }, { replace: true })
              }
            />
            <NativeSelect
              size="xs"
              w={150}
              aria-label="Sort by"
              value={sort}
              data={SORTS.map((value) => ({ value, label: SORT_NAMES[value] }))}
              onChange={({ currentTarget: { value } }) =>
                address.set({ sort: value === SORTS[0] ? null : value, page: null }, { replace: true })
              }
            />
          </Group>
        )
      }
    >
      <Answer of={wallets} what="Your wallets" loading={<RowsLoading kind="wallet" rows={3} />}>
        {(all) => {
          const shown = pageOf(sorted(searched(all, search), sort, spentOf), address.page(), PAGE_SIZE);
          return (
            <>
              {shown.data.length === 0 ? (
                <Empty title="No wallet found">No wallet’s name contains “{search}”.</Empty>
              ) : (
                <Rows kind="wallet">
                  {shown.data.map((wallet) => (
                    <li key={wallet.id}>
                      <WalletRow wallet={wallet} spent={spentOf.get(wallet.id)} />
                    </li>
                  ))}
                </Rows>
              )}
              {all.length > PAGE_SIZE && (
                <Pager
                  of={shown.pagination}
                  one="wallet"
                  onChange={(page) => address.set({ page: page === 1 ? null : String(page) })}
                />
              )}
            </>
          );
        }}
      </Answer>
    </Card>
  );
}

function searched(wallets: readonly Wallet[], search: string): Wallet[] {
  const words = search.trim().toLowerCase();
  return wallets.filter(({ name }) => name.toLowerCase().includes(words));
}

function sorted(wallets: Wallet[], sort: Sort, spentOf: ReadonlyMap<string, number>): Wallet[] {
  const by: Record<Sort, (a: Wallet, b: Wallet) => number> = {
    newest: (a, b) => b.createdAt.localeCompare(a.createdAt),
    name: (a, b) => a.name.localeCompare(b.name),
    balance: (a, b) => b.balance - a.balance,
    spent: (a, b) => (spentOf.get(b.id) ?? 0) - (spentOf.get(a.id) ?? 0),
    expiry: (a, b) => a.expiry.localeCompare(b.expiry),
  };
  return wallets.sort(by[sort]);
}

function WalletRow({ wallet, spent }: { wallet: Wallet; spent: number | undefined }) {
  return (
    <Link to={`/wallets/${wallet.id}`} className="row">
      <Group gap="xs" wrap="nowrap" miw={0}>
        <Text size="sm" fw={600} truncate>
          {wallet.name}
        </Text>
        <WalletTag wallet={wallet} />
      </Group>
      <div className="used">
        <Allowance spent={spent} limit={wallet.spendLimitPeriod} />
      </div>
      <Text size="xs" c="dimmed" title={wallet.expiry} className="when">
        {day(wallet.expiry)}
      </Text>
      <span className="end amount">
        <Money kobo={wallet.balance} bold />
      </span>
    </Link>
  );
}
