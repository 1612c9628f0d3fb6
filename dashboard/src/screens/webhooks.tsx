import { Button, Group, Modal, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { createEndpoint, endpoints as readEndpoints } from '../api/calls.js';
import type { Endpoint } from '../api/types.js';
import { Card, Empty, Tag } from '../parts/bits.js';
import { EndpointForm } from '../parts/endpoint-form.js';
import { Failure } from '../parts/failure.js';
import { PlusIcon } from '../parts/icons.js';
import { Pager } from '../parts/pager.js';
import { SecretOnce } from '../parts/secret.js';
import { useTitle } from '../parts/title.js';
import { Waiting } from '../parts/waiting.js';

export function Webhooks() {
  useTitle('Webhooks');
  const [page, setPage] = useState(1);
  const [isOpen, form] = useDisclosure();
  const [made, setMade] = useState<(Endpoint & { secret: string }) | null>(null);
  const client = useQueryClient();
  const navigate = useNavigate();
  const query = useQuery({
    queryKey: ['endpoints', page],
    queryFn: () => readEndpoints(page),
    placeholderData: keepPreviousData,
  });
  const add = (
    <Button leftSection={<PlusIcon size={16} />} onClick={form.open}>
      New endpoint
    </Button>
  );
  return (
    <Stack gap="lg">
      <Group justify="space-between">
        <div>
          <Title order={1}>Webhooks</Title>
          <Text size="sm" c="dimmed">
            Addresses of yours that are told when money comes in or a payment is decided.
          </Text>
        </div>
        {add}
      </Group>
      <Card title="Endpoints" flush>
        {!query.data ? (
          query.isError ? (
            <Failure error={query.error} what="Your endpoints" onRetry={() => void query.refetch()} />
          ) : (
            <Waiting rows={3} />
          )
        ) : query.data.data.length === 0 ? (
          <Empty title="Nobody is told yet" action={<Button onClick={form.open}>Add an endpoint</Button>}>
            Add the address of your server. Each delivery is signed by the Standard Webhooks scheme and
            repeated until it is taken.
          </Empty>
        ) : (
          <>
            <ul className="rows">
              {query.data.data.map((endpoint) => (
                <li key={endpoint.id}>
                  <Link
                    to={`/webhooks/${endpoint.id}`}
                    className="row"
                    style={{ gridTemplateColumns: 'minmax(0, 1fr) auto' }}
                  >
                    <div>
                      <Text fw={500} truncate>
                        {endpoint.url}
                      </Text>
                      <Text size="sm" c="dimmed" truncate>
                        {endpoint.description ? `${endpoint.description} · ` : ''}
                        {endpoint.events.join(', ')}
                      </Text>
                    </div>
                    <EndpointTag endpoint={endpoint} />
                  </Link>
                </li>
              ))}
            </ul>
            <Pager of={query.data.pagination} onChange={setPage} name="endpoints" />
          </>
        )}
      </Card>
      <Modal
        opened={isOpen}
        onClose={form.close}
        title={<Text fw={650}>New endpoint</Text>}
        size="lg"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <EndpointForm
          submit="Add endpoint"
          save={createEndpoint}
          onSaved={(endpoint) => {
            form.close();
            setMade(endpoint);
            void client.invalidateQueries({ queryKey: ['endpoints'] });
          }}
        />
      </Modal>
      <SecretOnce
        secret={made?.secret ?? null}
        onClose={() => void navigate(`/webhooks/${made?.id ?? ''}`)}
      />
    </Stack>
  );
}

export function EndpointTag({ endpoint }: { endpoint: Endpoint }) {
  return endpoint.status === 'enabled' ? <Tag tone="good">Enabled</Tag> : <Tag tone="bad">Paused</Tag>;
}
