import '../../styles/details.css';
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Fragment } from 'react';
import { queryKeys } from '../../api/query-keys.js';
import { delivery as readDelivery, replay } from '../../api/webhooks.js';
import type { DeliveryDetails } from '../../api/types.js';
import { watched } from '../../live/poll-intervals.js';
import { Answer } from '../../parts/loading/answer.js';
import { Code } from '../../parts/display/copy.js';
import { Refused } from '../../parts/loading/failure.js';
import { Moment } from '../../parts/display/moment.js';
import { BlocksLoading } from '../../parts/loading/loading.js';
import { asSentence } from '../../text/words.js';
import { DeliveryTag } from './delivery-tag.js';
import { Drawer } from '../../parts/display/windows.js';
import { Allowed } from '../../parts/session/allowed.js';

interface Props {
  endpointId: string;
  /** Nothing is sent to a paused endpoint, not even again. */
  isEnabled: boolean;
  id: string | null;
  onClose: () => void;
}

/** One delivery: its attempts with what was answered, and what was sent. */
export function DeliveryDrawer({ endpointId, isEnabled, id, onClose }: Props) {
  const query = useQuery({
    queryKey: queryKeys.delivery(id),
    queryFn: () => readDelivery(id ?? ''),
    enabled: id !== null,
    refetchInterval: watched,
    // Kept while the drawer slides away.
    placeholderData: id === null ? keepPreviousData : undefined,
  });
  return (
    <Drawer opened={id !== null} onClose={onClose} position="right" size="lg" title="Delivery">
      <Answer of={query} what="This delivery" loading={<BlocksLoading heights={[30, 90, 260, 22]} />}>
        {(delivery) => <Details delivery={delivery} endpointId={endpointId} isEnabled={isEnabled} />}
      </Answer>
    </Drawer>
  );
}

function Details({
  delivery,
  endpointId,
  isEnabled,
}: Pick<Props, 'endpointId' | 'isEnabled'> & { delivery: DeliveryDetails }) {
  const client = useQueryClient();
  const again = useMutation({
    mutationFn: () => replay(delivery.id),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: queryKeys.delivery(delivery.id) });
      void client.invalidateQueries({ queryKey: queryKeys.deliveries(endpointId) });
    },
  });
  return (
    <Stack gap="lg">
      <Group justify="space-between">
        <Group gap="xs">
          <Text fw={600}>{delivery.event}</Text>
          <DeliveryTag delivery={delivery} />
        </Group>
        <Allowed act="webhooks.manage">
          <Button
            size="xs"
            variant="default"
            loading={again.isPending}
            disabled={!isEnabled}
            onClick={() => again.mutate()}
          >
            Resend
          </Button>
        </Allowed>
      </Group>
      <Refused error={again.error} />
      {delivery.nextAttemptAt && (
        <Text size="sm">
          Next attempt: <Moment at={delivery.nextAttemptAt} />
        </Text>
      )}
      <Attempts attempts={delivery.attempts} />
      <section aria-label="Body">
        <Title order={2} mb="xs">
          Body
        </Title>
        <Code value={JSON.stringify(delivery.body, null, 2)} name="body" />
      </section>
      <dl className="facts">
        <dt>webhook-id</dt>
        <dd className="mono">{delivery.webhookId}</dd>
      </dl>
    </Stack>
  );
}

function Attempts({ attempts }: Pick<DeliveryDetails, 'attempts'>) {
  return (
    <section aria-label="Attempts">
      <Title order={2}>Attempts</Title>
      {attempts.length === 0 && (
        <Text size="sm" c="dimmed">
          None yet.
        </Text>
      )}
      <ol className="checks">
        {attempts.map(({ at, statusCode, durationMs, error, response, requestHeaders }) => (
          <li key={at} style={{ gridTemplateColumns: 'minmax(0, 1fr) auto' }}>
            <Text size="sm" component="div">
              <Moment at={at} />
            </Text>
            <Text size="sm" fw={600} className={isTaken(statusCode) && !error ? 'good' : 'bad'}>
              {statusCode ?? 'No response'}
              {durationMs === null ? '' : ` ${statusCode === null ? 'after' : 'in'} ${durationMs} ms`}
            </Text>
            {error && (
              <Text size="sm" style={{ gridColumn: '1 / 3' }}>
                {asSentence(error)}
              </Text>
            )}
            {requestHeaders && (
              <details className="fold" style={{ gridColumn: '1 / 3' }}>
                <summary>
                  <Text size="sm">Request headers</Text>
                </summary>
                <dl className="facts">
                  {Object.entries(requestHeaders).map(([name, value]) => (
                    <Fragment key={name}>
                      <dt>{name}</dt>
                      <dd className="mono">{value}</dd>
                    </Fragment>
                  ))}
                </dl>
              </details>
            )}
            {response && (
              <pre className="code" style={{ gridColumn: '1 / 3' }} tabIndex={0} aria-label="Response">
                {response}
              </pre>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

function isTaken(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}
