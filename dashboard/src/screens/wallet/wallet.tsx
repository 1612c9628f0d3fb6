import { Grid, Group, Skeleton, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { isSandbox, lowBalanceThreshold, wallet as readWallet } from '../../api/calls.js';
import type { WalletDetails } from '../../api/types.js';
import { CHART_MS, WATCHED_MS } from '../../poll-intervals.js';
import { Back } from '../../parts/back.js';
import { ChartCard } from '../../parts/chart-card.js';
import { Failure } from '../../parts/failure.js';
import { WalletTag } from '../../parts/tag.js';
import { useTitle } from '../../parts/title.js';
import { BlocksLoading } from '../../parts/loading.js';
import { AccountCard } from './account-card.js';
import { Activity } from './activity.js';
import { Figures } from './figures.js';
import { KeysCard } from './keys-card.js';
import { LowBalanceCard } from './low-balance-card.js';
import { RulesCard } from './rules-card.js';
import { SendMoney, TryPayment } from './sandbox.js';
import { TransactionDrawer } from './transaction-drawer.js';

export function Wallet() {
  const { walletId = '' } = useParams();
  const query = useQuery({
    queryKey: ['wallet', walletId],
    queryFn: () => readWallet(walletId),
    refetchInterval: WATCHED_MS,
  });
  useTitle(query.data?.wallet.name ?? 'Wallet');
  if (!query.data && query.isError) {
    return (
      <Stack gap="xs">
        <Back to="/">Wallets</Back>
        <Failure error={query.error} what="This wallet" onRetry={() => void query.refetch()} />
      </Stack>
    );
  }
  return <Screen key={walletId} walletId={walletId} details={query.data} />;
}

interface Props {
  walletId: string;
  /** Undefined while they are being loaded: what needs none of them is asked for at the same time. */
  details: WalletDetails | undefined;
}

function Screen({ walletId, details }: Props) {
  return (
    <Stack gap="lg">
      <Stack gap={4}>
        <Back to="/">Wallets</Back>
        <Group gap="sm" mih={36}>
          <Title order={1} style={{ overflowWrap: 'anywhere' }}>
            {details ? details.wallet.name : <Skeleton h={28} w={240} />}
          </Title>
          {details && <WalletTag wallet={details.wallet} />}
        </Group>
      </Stack>
      <Figures walletId={walletId} wallet={details?.wallet} />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Stack gap="lg">
            <ChartCard
              walletId={walletId}
              days={details && Math.min(Math.max(details.wallet.periodWindowDays, 7), 90)}
              refreshMs={CHART_MS}
            />
            <Activity walletId={walletId} merchants={details?.merchants} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Cards walletId={walletId} details={details} />
        </Grid.Col>
      </Grid>
      <TransactionDrawer walletId={walletId} />
    </Stack>
  );
}

/** Shown all at once, since each moves those below it. */
function Cards({ walletId, details }: Props) {
  const sandbox = useQuery({ queryKey: ['sandbox'], queryFn: isSandbox, staleTime: Infinity });
  const threshold = useQuery({
    queryKey: ['low-balance', walletId],
    queryFn: () => lowBalanceThreshold(walletId),
  });
  if (!details || sandbox.isPending || threshold.isPending)
    return <BlocksLoading heights={[200, 180, 420]} />;
  return (
    <Stack gap="lg">
      <AccountCard account={details.virtualAccount} />
      {sandbox.data && <SendMoney walletId={walletId} account={details.virtualAccount} />}
      {sandbox.data && <TryPayment walletId={walletId} />}
      <RulesCard wallet={details.wallet} />
      <LowBalanceCard walletId={walletId} threshold={threshold} />
      <KeysCard walletId={walletId} apiKeys={details.apiKeys} />
    </Stack>
  );
}
