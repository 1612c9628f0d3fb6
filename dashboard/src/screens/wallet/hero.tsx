import '../../styles/hero.css';
import { Group, Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { memo, type ReactNode } from 'react';
import { stats as readStats } from '../../api/calls.js';
import { queryKeys } from '../../api/query-keys.js';
import type { Wallet, WalletDetails } from '../../api/types.js';
import { Allowance } from '../../parts/money/allowance.js';
import { Money } from '../../parts/money/money.js';
import { pluralize } from '../../text/pluralize.js';
import { watched } from '../../live/poll-intervals.js';
import { day } from '../../text/time.js';
import { heldInPeriod } from '../../wallet/wallet-limits.js';
import { isActive } from '../../wallet/wallet-status.js';
import { HeroActions } from './hero-actions.js';
import { Skeleton } from '../../parts/loading/skeleton.js';

export const Hero = memo(function Hero({
  walletId,
  details,
}: {
  walletId: string;
  details: WalletDetails | undefined;
}) {
  const { data: stats } = useQuery({
    queryKey: queryKeys.stats(walletId),
    queryFn: () => readStats(walletId),
    refetchInterval: watched,
  });
  const wallet = details?.wallet;
  const balance = stats?.balance ?? wallet?.balance;
  const held = stats?.held ?? wallet?.held ?? 0;
  const limits = stats ?? wallet;
  return (
    <Paper withBorder className="hero" component="section" aria-label="Balance">
      <div className="hero-inner">
        <div>
          <Text size="sm" c="dimmed">
            Balance
          </Text>
          <div className="hero-amount">
            {balance === undefined ? <Skeleton h={36} w={220} /> : <Money kobo={balance} wraps />}
          </div>
          {held > 0 && balance !== undefined && (
            <Text size="sm" c="dimmed">
              <Money kobo={held} /> held for approval, <Money kobo={balance - held} /> available
            </Text>
          )}
          <Group
            gap="xs"
            mt="sm"
            className="hero-actions"
            data-closed={wallet?.status === 'CLOSED' || undefined}
          >
            {details ? <HeroActions details={details} /> : <Skeleton h={36} w={320} />}
          </Group>
        </div>
        {wallet?.status === 'CLOSED' ? (
          <Text size="sm" c="dimmed">
            This wallet is closed and can no longer pay.
          </Text>
        ) : (
          <Stack gap={6}>
            <Group justify="space-between" gap="xs">
              <Text size="sm" c="dimmed">
                {wallet ? leftOf(wallet) : 'Left to spend'}
              </Text>
              <Text size="sm" component="div" mih={21}>
                {stats && <Money kobo={stats.remainingAllowance} bold />}
              </Text>
            </Group>
            <Allowance
              spent={stats?.spentThisPeriod}
              held={stats && heldInPeriod(stats)}
              limit={limits?.spendLimitPeriod}
            />
          </Stack>
        )}
      </div>
    </Paper>
  );
});

/** Limits of the wallet in a line. */
export function LimitFacts({ wallet }: { wallet: Wallet | undefined }) {
  return (
    <Paper withBorder className="hero" component="section" aria-label="Limits">
      <dl className="hero-facts">
        <Fact name="Per-payment limit">{wallet && <Money kobo={wallet.spendLimitPerTx} wraps />}</Fact>
        <Fact name="Spending limit">{wallet && <Money kobo={wallet.spendLimitPeriod} wraps />}</Fact>
        <Fact name="Rolling window">{wallet && pluralize(wallet.periodWindowDays, 'day')}</Fact>
        <Fact name="Expires on">{wallet && <span title={wallet.expiry}>{day(wallet.expiry)}</span>}</Fact>
        <Fact name="Merchants">
          {wallet && (wallet.useAllowlist ? pluralize(wallet.merchantAllowlist.length, 'merchant') : 'Any')}
        </Fact>
      </dl>
    </Paper>
  );
}

/** Only a wallet that pays can spend it. */
function leftOf(wallet: Pick<Wallet, 'status' | 'expiry'>): string {
  if (isActive(wallet)) return 'Left to spend';
  return wallet.status === 'ACTIVE' ? 'Left to spend once extended' : 'Left to spend once resumed';
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children ?? <Skeleton h={20} w={90} />}</dd>
    </div>
  );
}
