import '../../styles/home.css';
import { Button, Group, SimpleGrid, Stack, Title } from '@mantine/core';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { Suspense, useDeferredValue } from 'react';
import { Link } from 'react-router';
import type { TotalStats } from '../../api/types.js';
import { totalsQuery, walletNamesQuery } from '../../api/wallet-list.js';
import { pausedEndpointsQuery } from '../../api/webhooks.js';
import { pluralize } from '../../text/pluralize.js';
import { Answer } from '../../parts/loading/answer.js';
import { Card, Figure } from '../../parts/display/card.js';
import { Empty } from '../../parts/lists/empty.js';
import { PlusIcon } from '../../parts/display/icons.js';
import { InSteps } from '../../parts/forms/in-steps.js';
import { BlocksLoading } from '../../parts/loading/loading.js';
import { useTitle } from '../../parts/frame/title.js';
import { FreezeAll } from '../controls/freeze-all.js';
import { useFrozenAll } from '../controls/frozen-all.js';
import { ResumeWallets } from '../controls/resume-wallets.js';
import { Boundary } from '../../parts/loading/boundary.js';
import { Failure } from '../../parts/loading/failure.js';
import { loadable } from '../../parts/loading/loadable.js';
import { Needs } from './needs.js';
import { waitingQuery } from './waiting.js';
import { useHome } from './use-home.js';
import { PasswordAlone } from './password-alone.js';
import { Since } from './since.js';
import { Start } from './start.js';
import { useStart } from './use-start.js';
import { Allowed } from '../../parts/session/allowed.js';
import { useMay } from '../../session/session.js';

const loadLower = () => import('./lower.js');
const Lower = loadable(loadLower, (part) => part.default);
loadLower().catch(() => undefined);

/** Failed queries are not awaited. */
const isAwaited = ({ isPending, errorUpdateCount }: Pick<UseQueryResult, 'isPending' | 'errorUpdateCount'>) =>
  isPending && errorUpdateCount === 0;

export function Home() {
  useTitle('Wallets');
  const totals = useQuery(totalsQuery);
  const start = useStart(totals);
  const maySetUp = useMay('wallets.create');
  // What needs somebody stands above the rest, which would move if it came later.
  const paused = useQuery(pausedEndpointsQuery);
  const names = useQuery(walletNamesQuery);
  const news = useHome().query;
  const waiting = useQuery(waitingQuery);
  // The banner above has the way back, which is the one thing to do then.
  const isStopped = useFrozenAll().frozen.length > 0;
  // The rest of the screen is drawn in slices.
  const isPending = useDeferredValue(start.isPending || [paused, names, news, waiting].some(isAwaited));
  const first = start.steps && maySetUp && <Start steps={start.steps} onFinish={start.finish} />;
  const isNew = start.steps !== null && start.steps.filter(({ isDone }) => !isDone).length > 1;
  return (
    <Stack gap="lg">
      <Group justify="space-between">
        <Title order={1}>Wallets</Title>
        <Group gap="xs">
          {!isPending && !isStopped && <ResumeWallets />}
          <FreezeAll active={totals.data?.active ?? 0} />
          {totals.data?.wallets !== 0 && (
            <Allowed act="wallets.create">
              <Button
                component={Link}
                to="/wallets/new"
                // The next step of the start is the one thing to do.
                variant={start.steps || isStopped ? 'default' : 'filled'}
                leftSection={<PlusIcon size={16} />}
              >
                New wallet
              </Button>
            </Allowed>
          )}
        </Group>
      </Group>
      {totals.data?.wallets === 0 ? (
        <NoWallet />
      ) : isPending ? (
        <BlocksLoading heights={[104, 344, 260, 400]} />
      ) : (
        <InSteps>
          {isNew && first}
          <Needs />
          <PasswordAlone />
          {!isNew && first}
          <Since />
          <Answer of={totals} what="The totals" loading={<Totals />}>
            {(all) => <Totals of={all} />}
          </Answer>
          <Suspense fallback={<BlocksLoading heights={[260, 400]} />}>
            <Boundary draw={(error, retry) => <Failure error={error} what="Your wallets" onRetry={retry} />}>
              <Lower count={totals.data?.wallets ?? 0} />
            </Boundary>
          </Suspense>
        </InSteps>
      )}
    </Stack>
  );
}

function NoWallet() {
  return (
    <Card title="Get started">
      <Empty
        title="Give your first agent a wallet"
        action={
          <Allowed act="wallets.create">
            <Button component={Link} to="/wallets/new">
              Create a wallet
            </Button>
          </Allowed>
        }
      >
        Set how much it may spend, per payment and over time, and where. You get a bank account to fund it and
        an API key for the agent. A payment that breaks a rule is blocked, and you see why.
      </Empty>
    </Card>
  );
}

function Totals({ of }: { of?: TotalStats }) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md" className="figures">
      <Figure name="Balance" kobo={of?.balance} note={of && `in ${pluralize(of.wallets, 'wallet')}`} />
      <Figure name="Left to spend" kobo={of?.remainingAllowance} note="under the spending limits" />
    </SimpleGrid>
  );
}
