import { Alert, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation, usePrefetchQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { queryKeys } from '../../api/query-keys.js';
import { changeEndpoint, endpoint as readEndpoint, isPausedByService } from '../../api/webhooks.js';
import type { ListedEndpoint as Details } from '../../api/types.js';
import { pluralize } from '../../text/pluralize.js';
import { watched } from '../../live/poll-intervals.js';
import { Back } from '../../parts/frame/back.js';
import { Failure, isNotFound, Refused } from '../../parts/loading/failure.js';
import { Moment } from '../../parts/display/moment.js';
import { useTitle } from '../../parts/frame/title.js';
import { refused, toast } from '../../parts/toasts/toasts.js';
import { Loading } from '../../parts/loading/loading.js';
import { Deliveries, newestDeliveries } from './deliveries.js';
import { EditEndpoint } from './edit-endpoint.js';
import { EndpointTag } from './endpoint-tag.js';
import { MoreActions } from './more-actions.js';
import { SecretOnce } from './secret-once.js';
import { SendTest } from './send-test.js';
import { Skeleton } from '../../parts/loading/skeleton.js';
import { useMay } from '../../session/session.js';
import { refusalOf } from '../../session/permissions.js';

export function Endpoint() {
  useTitle('Webhook endpoint');
  const { endpointId = '' } = useParams();
  const query = useQuery({
    queryKey: queryKeys.endpoint(endpointId),
    queryFn: () => readEndpoint(endpointId),
    // It is paused by the service itself when nothing gets through to it.
    refetchInterval: watched,
  });
  // Asked for with the endpoint, and shown with it: how tall its head is says where they stand.
  usePrefetchQuery(newestDeliveries(endpointId));
  if (!query.data || isNotFound(query.error)) {
    if (!query.isError) return <EndpointLoading />;
    return (
      <Stack gap="xs">
        <Back to="/webhooks">Webhooks</Back>
        <Title order={1}>Webhook endpoint</Title>
        <Failure error={query.error} what="This endpoint" onRetry={() => void query.refetch()} />
      </Stack>
    );
  }
  return (
    <Stack gap="lg">
      <Head endpoint={query.data} />
      <SecretOnce endpointId={endpointId} />
      <Deliveries endpointId={endpointId} isEnabled={query.data.status === 'enabled'} />
    </Stack>
  );
}

function Head({ endpoint }: { endpoint: Details }) {
  const client = useQueryClient();
  const refresh = () => {
    void client.invalidateQueries({ queryKey: queryKeys.endpoint(endpoint.id) });
    void client.invalidateQueries({ queryKey: queryKeys.endpoints() });
    void client.invalidateQueries({ queryKey: queryKeys.deliveries(endpoint.id) });
  };
  const change = useMutation({
    mutationFn: (status: Details['status']) => changeEndpoint(endpoint.id, { status }),
    onSuccess: ({ status }) => {
      const before = status === 'enabled' ? 'disabled' : 'enabled';
      void toast({
        tone: 'info',
        message: status === 'enabled' ? 'Endpoint resumed' : 'Endpoint paused',
        undo: () => void changeEndpoint(endpoint.id, { status: before }).then(refresh, refused),
      });
    },
    onSettled: refresh,
  });
  const isOn = endpoint.status === 'enabled';
  const may = useMay('webhooks.manage');
  return (
    <>
      <Stack gap={4}>
        <Back to="/webhooks">Webhooks</Back>
        <Group gap="sm">
          <Title order={1} fz={{ base: 'md', sm: 'h1' }} style={{ overflowWrap: 'anywhere' }}>
            {endpoint.url}
          </Title>
          <EndpointTag endpoint={endpoint} />
        </Group>
        <Text size="sm" c="dimmed" className="wrap">
          {endpoint.description ? `${endpoint.description} · ` : ''}
          {endpoint.events.join(', ')} ·{' '}
          {endpoint.walletIds ? pluralize(endpoint.walletIds.length, 'wallet') : 'all wallets'}
        </Text>
      </Stack>
      {!isOn && (
        <Alert color="yellow" variant="light" title="Paused">
          <Text size="sm">
            {pausedBecause(endpoint)} Nothing has been sent to this endpoint
            {endpoint.disabledAt && (
              <>
                {' '}
                since <Moment at={endpoint.disabledAt} />
              </>
            )}
            .
          </Text>
        </Alert>
      )}
      <Group gap="xs">
        <SendTest endpoint={endpoint} onSent={refresh} />
        <EditEndpoint
          endpoint={endpoint}
          onSaved={() => {
            void toast({ message: 'Endpoint saved' });
            refresh();
          }}
        />
        <MoreActions
          endpoint={endpoint}
          isChanging={change.isPending}
          onToggle={() => change.mutate(isOn ? 'disabled' : 'enabled')}
          onDone={refresh}
        />
      </Group>
      {!may && (
        <Text size="sm" c="dimmed">
          {refusalOf('webhooks.manage')}
        </Text>
      )}
      <Refused error={change.error} />
    </>
  );
}

function pausedBecause(endpoint: Details): string {
  return isPausedByService(endpoint) ? `Paused automatically: ${endpoint.disabledReason}.` : 'Paused by you.';
}

function EndpointLoading() {
  return (
    <Loading>
      <Stack gap="lg">
        <Stack gap={4}>
          <Skeleton h={22} w={80} />
          <Skeleton h={34} w="60%" />
          <Skeleton h={22} w="40%" />
        </Stack>
        <Skeleton h={36} w="min(100%, 560px)" />
        <Skeleton h={400} className="skeleton-block" />
      </Stack>
    </Loading>
  );
}
