import { Button, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { allStats, recentTransactions, wallets as listWallets } from '../api/calls.js';
import type { Stats, Transaction, Wallet } from '../api/types.js';
import { pluralize } from '../pluralize.js';
import { CHART_MS, OVERVIEW_MS } from '../poll-intervals.js';
import { Allowance } from '../parts/allowance.js';
import { Answer } from '../parts/answer.js';
import { Card, Figure } from '../parts/card.js';
import { ChartCard } from '../parts/chart-card.js';
import { Empty } from '../parts/empty.js';
import { PlusIcon } from '../parts/icons.js';
import { Money } from '../parts/money.js';
import { Rows, RowsLoading } from '../parts/rows.js';
import { WalletTag } from '../parts/tag.js';
import { useTitle } from '../parts/title.js';
import { TransactionRow } from '../parts/transaction-row.js';
import { useUser } from '../session.js';
import { day } from '../time.js';

export function Home() {
  useTitle('Wallets');
  const user = useUser();
  const wallets = useQuery({
    queryKey: ['wallets', user.id],
    queryFn: () => listWallets(user.id),
    refetchInterval: OVERVIEW_MS,
  });
  const stats = useQuery({ queryKey: ['stats'], queryFn: allStats, refetchInterval: OVERVIEW_MS });
  const recent = useQuery({
    queryKey: ['recent'],
    queryFn: () => recentTransactions(8),
    refetchInterval: OVERVIEW_MS,
  });
  const statsOf = new Map(stats.data?.map((each) => [each.walletId, each]));
  const nameOf = new Map(wallets.data?.map(({ id, name }) => [id, name]));
  // The lists are shown together: the length of the first says where the second stands.
  const isLoading = wallets.isPending || recent.isPending;
  return (
    <Stack gap="lg">
      <Group justify="space-between">
        <Title order={1}>Wallets</Title>
        <Button component={Link} to="/wallets/new" leftSection={<PlusIcon size={16} />}>
          New wallet
        </Button>
      </Group>
      {wallets.data?.length === 0 ? (
        <Start />
      ) : (
        <>
          <Answer of={stats} what="The totals" loading={<Totals />}>
            {(all) => <Totals stats={all} />}
          </Answer>
          <ChartCard walletId={null} days={30} refreshMs={CHART_MS} />
          <Card title="Your wallets" flush>
            {isLoading ? (
              <RowsLoading kind="wallet" rows={3} />
            ) : (
              <Answer of={wallets} what="Your wallets" loading={null}>
                {(all) => (
                  <Rows kind="wallet">
                    {all.map((wallet) => (
                      <li key={wallet.id}>
                        <WalletRow wallet={wallet} spent={statsOf.get(wallet.id)?.spentThisPeriod} />
                      </li>
                    ))}
                  </Rows>
                )}
              </Answer>
            )}
          </Card>
          <Card title="Latest activity" flush>
            {isLoading ? (
              <RowsLoading kind="transaction" rows={8} />
            ) : (
              <Answer of={recent} what="The latest activity" loading={null}>
                {(attempts) => <Latest attempts={attempts} nameOf={nameOf} />}
              </Answer>
            )}
          </Card>
        </>
      )}
    </Stack>
  );
}

function Start() {
  return (
    <Card title="Start here">
      <Empty
        title="Give your first agent a wallet"
        action={
          <Button component={Link} to="/wallets/new">
            Create a wallet
          </Button>
        }
      >
        Say how much it may spend, at a time and in a period, and where. You get a bank account to put money
        in and an API key for the agent. What breaks a rule is blocked, and you see why.
      </Empty>
    </Card>
  );
}

function Totals({ stats }: { stats?: Stats[] }) {
  const sum = (of: (each: Stats) => number) => stats?.reduce((total, each) => total + of(each), 0);
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="md">
      <Figure
        name="Balance"
        kobo={sum(({ balance }) => balance)}
        note={stats && `in ${pluralize(stats.length, 'wallet')}`}
      />
      <Figure
        name="Spent"
        kobo={sum(({ spentThisPeriod }) => spentThisPeriod)}
        note="in the current periods"
      />
      <Figure
        name="Allowance left"
        kobo={sum(({ remainingAllowance }) => remainingAllowance)}
        note="by the period limits"
      />
    </SimpleGrid>
  );
}

function WalletRow({ wallet, spent }: { wallet: Wallet; spent: number | undefined }) {
  return (
    <Link to={`/wallets/${wallet.id}`} className="row wallet">
      <Group gap="xs" wrap="nowrap">
        <Text size="sm" fw={600} truncate>
          {wallet.name}
        </Text>
        <WalletTag wallet={wallet} />
      </Group>
      <Allowance spent={spent} limit={wallet.spendLimitPeriod} />
      <Text size="xs" c="dimmed" title={wallet.expiry}>
        {day(wallet.expiry)}
      </Text>
      <Money kobo={wallet.balance} bold />
    </Link>
  );
}

function Latest({ attempts, nameOf }: { attempts: Transaction[]; nameOf: Map<string, string> }) {
  if (attempts.length === 0) {
    return (
      <Empty title="No payments yet">
        Open a wallet to put money in and to try a payment. Each attempt shows up here, approved or blocked.
      </Empty>
    );
  }
  return (
    <Rows kind="transaction">
      {attempts.map((each) => (
        <li key={each.id}>
          <TransactionRow
            transaction={each}
            to={`/wallets/${each.walletId}?transaction=${each.id}`}
            from={nameOf.get(each.walletId)}
          />
        </li>
      ))}
    </Rows>
  );
}
