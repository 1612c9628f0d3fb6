import { Button, Group, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { allStats, recentTransactions, wallets as listWallets } from '../api/calls.js';
import type { Stats, Wallet } from '../api/types.js';
import { Allowance } from '../parts/allowance.js';
import { Card, Empty, Figure, Money, WalletTag } from '../parts/bits.js';
import { ChartCard } from '../parts/chart-card.js';
import { Failure } from '../parts/failure.js';
import { PlusIcon } from '../parts/icons.js';
import { useTitle } from '../parts/title.js';
import { TransactionRow } from '../parts/transaction-row.js';
import { Waiting } from '../parts/waiting.js';
import { useUser } from '../session.js';
import { day } from '../time.js';

const REFRESH_MS = 5_000;

export function Home() {
  useTitle('Wallets');
  const user = useUser();
  const wallets = useQuery({
    queryKey: ['wallets', user.id],
    queryFn: () => listWallets(user.id),
    refetchInterval: REFRESH_MS,
  });
  const stats = useQuery({ queryKey: ['stats'], queryFn: allStats, refetchInterval: REFRESH_MS });
  const isNew = wallets.data?.length === 0;
  return (
    <Stack gap="lg">
      <Group justify="space-between">
        <Title order={1}>Wallets</Title>
        <Button component={Link} to="/wallets/new" leftSection={<PlusIcon size={16} />}>
          New wallet
        </Button>
      </Group>
      {isNew ? (
        <Card title="Start here">
          <Empty
            title="Give your first agent a wallet"
            action={
              <Button component={Link} to="/wallets/new">
                Create a wallet
              </Button>
            }
          >
            Say how much it may spend, at a time and in a period, and where. You get a bank account to put
            money in and an API key for the agent. What breaks a rule is blocked, and you see why.
          </Empty>
        </Card>
      ) : (
        <>
          <Totals stats={stats.data} />
          <ChartCard walletId={null} days={30} refreshMs={30_000} />
          <Card title="Your wallets" flush>
            <WalletRows wallets={wallets} stats={stats.data} />
          </Card>
          <Latest wallets={wallets.data} />
        </>
      )}
    </Stack>
  );
}

function Totals({ stats }: { stats: Stats[] | undefined }) {
  const sum = (of: (each: Stats) => number) =>
    stats ? (
      <Money kobo={stats.reduce((total, each) => total + of(each), 0)} />
    ) : (
      <Skeleton h={30} w={140} my={3} />
    );
  const count = stats?.length ?? 0;
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="md">
      <Figure
        name="Balance"
        value={sum(({ balance }) => balance)}
        note={`in ${count} ${count === 1 ? 'wallet' : 'wallets'}`}
      />
      <Figure
        name="Spent"
        value={sum(({ spentThisPeriod }) => spentThisPeriod)}
        note="in the current periods"
      />
      <Figure
        name="Allowance left"
        value={sum(({ remainingAllowance }) => remainingAllowance)}
        note="by the period limits"
      />
    </SimpleGrid>
  );
}

interface WalletsQuery {
  data: Wallet[] | undefined;
  error: unknown;
  isError: boolean;
  refetch: () => unknown;
}

function WalletRows({ wallets, stats }: { wallets: WalletsQuery; stats: Stats[] | undefined }) {
  if (!wallets.data) {
    return wallets.isError ? (
      <Failure error={wallets.error} what="Your wallets" onRetry={() => void wallets.refetch()} />
    ) : (
      <Waiting rows={3} />
    );
  }
  const statsOf = new Map(stats?.map((each) => [each.walletId, each]));
  return (
    <ul className="rows">
      {wallets.data.map((wallet) => (
        <li key={wallet.id}>
          <Link to={`/wallets/${wallet.id}`} className="row wallet">
            <Group gap="xs" wrap="nowrap">
              <Text fw={600} truncate>
                {wallet.name}
              </Text>
              <WalletTag wallet={wallet} />
            </Group>
            <Allowance spent={statsOf.get(wallet.id)?.spentThisPeriod ?? 0} limit={wallet.spendLimitPeriod} />
            <Text size="sm" c="dimmed" title={wallet.expiry}>
              until {day(wallet.expiry)}
            </Text>
            <Text className="end">
              <Money kobo={wallet.balance} bold />
            </Text>
          </Link>
        </li>
      ))}
    </ul>
  );
}

function Latest({ wallets }: { wallets: Wallet[] | undefined }) {
  const query = useQuery({
    queryKey: ['recent'],
    queryFn: () => recentTransactions(8),
    refetchInterval: REFRESH_MS,
  });
  const nameOf = new Map(wallets?.map(({ id, name }) => [id, name]));
  return (
    <Card title="Latest activity" flush>
      {!query.data ? (
        query.isError ? (
          <Failure error={query.error} what="The latest activity" onRetry={() => void query.refetch()} />
        ) : (
          <Waiting rows={3} />
        )
      ) : query.data.length === 0 ? (
        <Empty title="No payments yet">
          Open a wallet to put money in and to try a payment. Each attempt shows up here, approved or blocked.
        </Empty>
      ) : (
        <ul className="rows">
          {query.data.map((each) => (
            <li key={each.id}>
              <TransactionRow
                transaction={each}
                to={`/wallets/${each.walletId}?transaction=${each.id}`}
                note={nameOf.get(each.walletId)}
              />
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
