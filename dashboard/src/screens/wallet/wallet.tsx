import { Button, Group, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useDeferredValue } from 'react';
import { Link, useParams } from 'react-router';
import { wallet as readWallet } from '../../api/calls.js';
import { queryKeys } from '../../api/query-keys.js';
import type { WalletDetails } from '../../api/types.js';
import { Back } from '../../parts/frame/back.js';
import { Failure, isNotFound } from '../../parts/loading/failure.js';
import { loadable } from '../../parts/loading/loadable.js';
import { useFailure } from '../../parts/loading/use-failure.js';
import { FlaskIcon } from '../../parts/display/icons.js';
import { InSteps } from '../../parts/forms/in-steps.js';
import { useSandbox } from '../../parts/display/sandbox.js';
import { WalletTag } from '../../parts/display/tag.js';
import { useTitle } from '../../parts/frame/title.js';
import { useAddress } from '../../parts/state/use-address.js';
import { watched } from '../../live/poll-intervals.js';
import { Hero } from './hero.js';
import { KeyNotStored } from './key-not-stored.js';
import { loadLater } from './loaded-later.js';
import { WalletTabs } from './wallet-tabs.js';
import { Skeleton } from '../../parts/loading/skeleton.js';

const Later = loadable(loadLater, (part) => part.default);

export function Wallet() {
  const { walletId = '' } = useParams();
  const query = useQuery({
    queryKey: queryKeys.wallet(walletId),
    queryFn: () => readWallet(walletId),
    refetchInterval: watched,
  });
  useTitle(query.data?.wallet.name ?? 'Wallet');
  const failure = useFailure(query);
  if (failure && (!query.data || isNotFound(failure))) {
    return (
      <Stack gap="xs">
        <Back to="/">Wallets</Back>
        <Title order={1}>Wallet</Title>
        <Failure
          error={failure}
          what="This wallet"
          isRetrying={query.isFetching}
          onRetry={() => void query.refetch()}
        />
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

function Screen({ walletId, details: answered }: Props) {
  // Drawn in slices, as every answer.
  const details = useDeferredValue(answered);
  const address = useAddress();
  const canTest = useSandbox() === true && details?.wallet.status !== 'CLOSED';
  return (
    <Stack gap="lg">
      <Stack gap={4}>
        <Back to="/">Wallets</Back>
        <Group justify="space-between" align="flex-start" mih={36} gap="sm">
          <Group gap="sm" miw={0} style={{ flex: '1 1 240px' }}>
            <Title order={1} className="wrap">
              {details ? details.wallet.name : <Skeleton h={28} w={240} />}
            </Title>
            {details && <WalletTag wallet={details.wallet} />}
          </Group>
          {canTest && (
            <Button
              component={Link}
              to={address.to({ test: 'open' })}
              preventScrollReset
              variant="default"
              leftSection={<FlaskIcon size={16} />}
            >
              Test
            </Button>
          )}
        </Group>
      </Stack>
      <KeyNotStored walletId={walletId} />
      <InSteps>
        <Hero walletId={walletId} details={details} />
        <WalletTabs walletId={walletId} details={details} />
        <Suspense>
          <Later walletId={walletId} details={details} canTest={canTest} />
        </Suspense>
      </InSteps>
    </Stack>
  );
}
