import { Button, SimpleGrid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { Link } from 'react-router';
import { lowBalanceThreshold } from '../../api/calls.js';
import { queryKeys } from '../../api/query-keys.js';
import type { Wallet, WalletDetails } from '../../api/types.js';
import { Boundary } from '../../parts/loading/boundary.js';
import { Card } from '../../parts/display/card.js';
import { Failure } from '../../parts/loading/failure.js';
import { loadable } from '../../parts/loading/loadable.js';
import { BlocksLoading } from '../../parts/loading/loading.js';
import { Money } from '../../parts/money/money.js';
import { useAddress } from '../../parts/state/use-address.js';
import { pluralize } from '../../text/pluralize.js';
import { Safeguards } from '../controls/safeguards.js';
import { LowBalanceCard } from './low-balance-card.js';
import { dayOrMoment } from '../../text/time.js';
import { Allowed } from '../../parts/session/allowed.js';

const Trial = loadable(
  () => import('../trial/trial.js'),
  ({ Trial }) => Trial,
);

export function Rules({ walletId, details }: { walletId: string; details: WalletDetails | undefined }) {
  const threshold = useQuery({
    queryKey: queryKeys.lowBalance(walletId),
    queryFn: () => lowBalanceThreshold(walletId),
  });
  if (!details || threshold.isPending) return <BlocksLoading heights={[260, 180]} />;
  return (
    <Stack gap="lg">
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg" style={{ alignItems: 'start' }}>
        <Stack gap="lg">
          <RulesCard wallet={details.wallet} />
          {details.wallet.status !== 'CLOSED' && <LowBalanceCard walletId={walletId} threshold={threshold} />}
        </Stack>
        <Safeguards wallet={details.wallet} />
      </SimpleGrid>
      <Suspense fallback={<BlocksLoading heights={[300]} />}>
        <Boundary draw={(error, retry) => <Failure error={error} what="The backtest" onRetry={retry} />}>
          <Trial wallet={details.wallet} />
        </Boundary>
      </Suspense>
    </Stack>
  );
}

function RulesCard({ wallet }: { wallet: Wallet }) {
  const address = useAddress();
  return (
    <Card
      title="Spending rules"
      aside={
        wallet.status !== 'CLOSED' && (
          <Allowed act="wallets.change">
            <Button
              component={Link}
              to={address.to({ edit: 'rules' })}
              preventScrollReset
              size="xs"
              variant="default"
            >
              Edit
            </Button>
          </Allowed>
        )
      }
    >
      <dl className="facts">
        <dt>Per-payment limit</dt>
        <dd>
          <Money kobo={wallet.spendLimitPerTx} />
        </dd>
        <dt>Spending limit</dt>
        <dd>
          <Money kobo={wallet.spendLimitPeriod} />
        </dd>
        <dt>Rolling window</dt>
        <dd>{pluralize(wallet.periodWindowDays, 'day')}</dd>
        <dt>Expires on</dt>
        <dd>
          <span title={wallet.expiry}>{dayOrMoment(wallet.expiry)}</span>
        </dd>
        <dt>Merchants</dt>
        <dd>{wallet.useAllowlist ? wallet.merchantAllowlist.join(', ') : 'Any'}</dd>
      </dl>
    </Card>
  );
}
