import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { queryKeys } from '../../api/query-keys.js';
import { endpoints as readEndpoints } from '../../api/webhooks.js';
import type { ListedEndpoint } from '../../api/types.js';
import { Answer } from '../../parts/loading/answer.js';
import { Card } from '../../parts/display/card.js';
import { Empty } from '../../parts/lists/empty.js';
import { PlusIcon } from '../../parts/display/icons.js';
import { useKeptState } from '../../parts/state/kept.js';
import { Moment } from '../../parts/display/moment.js';
import { Pager } from '../../parts/lists/pager.js';
import { useTitle } from '../../parts/frame/title.js';
import { Cell, Row, Rows, RowsLoading, What } from '../../parts/lists/rows.js';
import { useAddress } from '../../parts/state/use-address.js';
import { EndpointTag } from './endpoint-tag.js';
import { NewEndpoint } from './new-endpoint.js';
import { Modal } from '../../parts/display/windows.js';
import { Allowed } from '../../parts/session/allowed.js';

export function Webhooks() {
  useTitle('Webhooks');
  const address = useAddress();
  const page = address.page();
  const [isOpen, setIsOpen] = useKeptState('new endpoint', false);
  const open = () => setIsOpen(true);
  const close = () => setIsOpen(false);
  const query = useQuery({
    queryKey: queryKeys.endpoints(page),
    queryFn: () => readEndpoints(page),
    placeholderData: keepPreviousData,
  });
  return (
    <Stack gap="lg">
      <Group justify="space-between">
        <div className="heading">
          <Title order={1}>Webhooks</Title>
          <Text size="sm" c="dimmed">
            Your servers receive an event for every payment and all incoming money.
          </Text>
        </div>
        <Allowed act="webhooks.manage">
          <Button
            variant={query.data?.data.length === 0 ? 'default' : 'filled'}
            leftSection={<PlusIcon size={16} />}
            onClick={open}
          >
            New endpoint
          </Button>
        </Allowed>
      </Group>
      <Card title="Endpoints" flush>
        <Answer of={query} what="Your endpoints" loading={<RowsLoading kind="endpoint" rows={3} />}>
          {({ data, pagination }) =>
            data.length === 0 ? (
              <Empty
                title="No endpoints yet"
                action={
                  <Allowed act="webhooks.manage">
                    <Button onClick={open}>Add an endpoint</Button>
                  </Allowed>
                }
              >
                Add the URL of your server. Each delivery is signed by the Standard Webhooks scheme and
                retried until delivered.
              </Empty>
            ) : (
              <>
                <Rows kind="endpoint" label="Endpoints">
                  {data.map((endpoint) => (
                    <EndpointRow key={endpoint.id} endpoint={endpoint} />
                  ))}
                </Rows>
                <Pager of={pagination} one="endpoint" />
              </>
            )
          }
        </Answer>
      </Card>
      <Modal opened={isOpen} onClose={close} title="New endpoint" size="lg">
        <NewEndpoint onCancel={close} />
      </Modal>
    </Stack>
  );
}

function EndpointRow({ endpoint }: { endpoint: ListedEndpoint }) {
  return (
    <Row to={`/webhooks/${endpoint.id}`}>
      <What
        name={endpoint.url}
        more={`${endpoint.description ? `${endpoint.description} · ` : ''}${endpoint.events.join(', ')}`}
      />
      <Health {...endpoint.health} />
      <Cell className="status">
        <EndpointTag endpoint={endpoint} />
      </Cell>
    </Row>
  );
}

function Health({
  attempted,
  succeeded,
  lastFailedAt,
  lastFailureReason,
  nextRetryAt,
  failingSince,
}: ListedEndpoint['health']) {
  return (
    <Cell className="health small tabular">
      {attempted === 0 ? 'Nothing sent yet' : `${Math.floor((succeeded / attempted) * 100)}% delivered`}
      {lastFailedAt && (
        <div className={failingSince ? 'bad' : ''}>
          {failingSince ? 'Failing since ' : 'Failed '}
          <Moment at={failingSince ?? lastFailedAt} />
          {failingSince && lastFailureReason?.startsWith('answered') && `, ${lastFailureReason}`}
          {nextRetryAt && (
            <>
              , next try <Moment at={nextRetryAt} />
            </>
          )}
        </div>
      )}
    </Cell>
  );
}
