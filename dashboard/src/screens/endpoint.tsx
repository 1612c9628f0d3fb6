import {
  Alert,
  Anchor,
  Button,
  Drawer,
  Group,
  Menu,
  Modal,
  Select,
  Stack,
  Switch,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useNavigate, useParams, useSearchParams } from 'react-router';
import {
  changeEndpoint,
  deleteEndpoint,
  deliveries as readDeliveries,
  delivery as readDelivery,
  endpoint as readEndpoint,
  recover,
  replay,
  rotateSecret,
  sendTest,
} from '../api/calls.js';
import {
  type Delivery,
  type DeliveryStatus,
  type Endpoint as EndpointType,
  type EventName,
} from '../api/types.js';
import { Card, Code, Empty, Moment, Tag } from '../parts/bits.js';
import { EndpointForm } from '../parts/endpoint-form.js';
import { Failure, Refused } from '../parts/failure.js';
import { Pager } from '../parts/pager.js';
import { SecretOnce } from '../parts/secret.js';
import { useTitle } from '../parts/title.js';
import { Waiting } from '../parts/waiting.js';
import { EVENTS } from '../webhook-events.js';
import { EndpointTag } from './webhooks.js';

const REFRESH_MS = 3_000;

export function Endpoint() {
  useTitle('Webhook endpoint');
  const { endpointId = '' } = useParams();
  const query = useQuery({ queryKey: ['endpoint', endpointId], queryFn: () => readEndpoint(endpointId) });
  if (!query.data) {
    return query.isError ? (
      <Failure error={query.error} what="This endpoint" onRetry={() => void query.refetch()} />
    ) : (
      <Waiting rows={4} height={80} />
    );
  }
  return <Loaded endpoint={query.data} />;
}

function Loaded({ endpoint }: { endpoint: EndpointType }) {
  const client = useQueryClient();
  const refresh = () => {
    void client.invalidateQueries({ queryKey: ['endpoint', endpoint.id] });
    void client.invalidateQueries({ queryKey: ['endpoints'] });
    void client.invalidateQueries({ queryKey: ['deliveries', endpoint.id] });
  };
  const change = useMutation({
    mutationFn: (status: 'enabled' | 'disabled') => changeEndpoint(endpoint.id, { status }),
    onSettled: refresh,
  });
  const isOn = endpoint.status === 'enabled';
  return (
    <Stack gap="lg">
      <Stack gap={4}>
        <Anchor component={Link} to="/webhooks" size="sm">
          Webhooks
        </Anchor>
        <Group gap="sm">
          <Title order={1} style={{ overflowWrap: 'anywhere' }}>
            {endpoint.url}
          </Title>
          <EndpointTag endpoint={endpoint} />
        </Group>
        <Text size="sm" c="dimmed">
          {endpoint.description ? `${endpoint.description} · ` : ''}
          {endpoint.events.join(', ')} ·{' '}
          {endpoint.walletIds ? `${endpoint.walletIds.length} wallets` : 'all wallets'}
        </Text>
      </Stack>
      {!isOn && (
        <Alert color="yellow" variant="light" title="Paused">
          <Text size="sm">
            {endpoint.disabledReason ?? 'Nothing is sent to this endpoint.'}
            {endpoint.disabledAt && (
              <>
                {' '}
                Since <Moment at={endpoint.disabledAt} />.
              </>
            )}
          </Text>
        </Alert>
      )}
      <Group gap="xs">
        <SendTest endpoint={endpoint} onSent={refresh} />
        <Edit endpoint={endpoint} onSaved={refresh} />
        <Button
          variant="default"
          loading={change.isPending}
          onClick={() => change.mutate(isOn ? 'disabled' : 'enabled')}
        >
          {isOn ? 'Pause' : 'Enable'}
        </Button>
        <Rotate endpoint={endpoint} />
        <Recover endpoint={endpoint} onDone={refresh} />
        <Delete endpoint={endpoint} />
      </Group>
      <Refused error={change.error} />
      <Deliveries endpoint={endpoint} />
    </Stack>
  );
}

interface OfEndpoint {
  endpoint: EndpointType;
}

function SendTest({ endpoint, onSent }: OfEndpoint & { onSent: () => void }) {
  const test = useMutation({
    mutationFn: (event: EventName) => sendTest(endpoint.id, event),
    onSuccess: onSent,
  });
  return (
    <>
      <Menu position="bottom-start">
        <Menu.Target>
          <Button loading={test.isPending} disabled={endpoint.status !== 'enabled'}>
            Send a test
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>An example of</Menu.Label>
          {EVENTS.map(({ name }) => (
            <Menu.Item key={name} onClick={() => test.mutate(name)}>
              {name}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Refused error={test.error} />
    </>
  );
}

function Edit({ endpoint, onSaved }: OfEndpoint & { onSaved: () => void }) {
  const [isOpen, dialog] = useDisclosure();
  return (
    <>
      <Button variant="default" onClick={dialog.open}>
        Edit
      </Button>
      <Modal
        opened={isOpen}
        onClose={dialog.close}
        title={<Text fw={650}>Edit the endpoint</Text>}
        size="lg"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <EndpointForm
          initial={endpoint}
          submit="Save"
          save={(settings) => changeEndpoint(endpoint.id, settings)}
          onSaved={() => {
            dialog.close();
            onSaved();
          }}
        />
      </Modal>
    </>
  );
}

function Rotate({ endpoint }: OfEndpoint) {
  const [isOpen, dialog] = useDisclosure();
  const [dropOld, setDropOld] = useState(false);
  const rotate = useMutation({
    mutationFn: () => rotateSecret(endpoint.id, dropOld),
    onSuccess: dialog.close,
  });
  return (
    <>
      <Button variant="default" onClick={dialog.open}>
        Rotate secret
      </Button>
      <Modal
        opened={isOpen}
        onClose={dialog.close}
        title={<Text fw={650}>Make a new secret?</Text>}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Stack>
          <Text size="sm">
            For 24 hours the old secret signs beside the new one, so that you can change over in peace.
          </Text>
          <Switch
            label="The old one has leaked: stop using it at once"
            checked={dropOld}
            onChange={(event) => setDropOld(event.currentTarget.checked)}
          />
          <Refused error={rotate.error} />
          <Button loading={rotate.isPending} onClick={() => rotate.mutate()}>
            Make a new secret
          </Button>
        </Stack>
      </Modal>
      <SecretOnce secret={rotate.data?.secret ?? null} onClose={rotate.reset} />
    </>
  );
}

function Recover({ endpoint, onDone }: OfEndpoint & { onDone: () => void }) {
  const [isOpen, dialog] = useDisclosure();
  const [since, setSince] = useState('');
  const again = useMutation({
    mutationFn: () => recover(endpoint.id, new Date(since).toISOString()),
    onSuccess: onDone,
  });
  return (
    <>
      <Button variant="default" onClick={dialog.open} disabled={endpoint.status !== 'enabled'}>
        Recover
      </Button>
      <Modal
        opened={isOpen}
        onClose={dialog.close}
        title={<Text fw={650}>Send again what failed</Text>}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Stack>
          <Text size="sm">All deliveries that failed since then are sent again, oldest first.</Text>
          <TextInput
            type="datetime-local"
            label="Since"
            required
            value={since}
            onChange={(event) => setSince(event.currentTarget.value)}
          />
          <Refused error={again.error} />
          <div role="status">
            {again.data && (
              <Text size="sm">{again.data.recovered.toLocaleString('en-US')} to be sent again.</Text>
            )}
          </div>
          <Button loading={again.isPending} disabled={since === ''} onClick={() => again.mutate()}>
            Send again
          </Button>
        </Stack>
      </Modal>
    </>
  );
}

function Delete({ endpoint }: OfEndpoint) {
  const [isOpen, dialog] = useDisclosure();
  const client = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => deleteEndpoint(endpoint.id),
    onSuccess: async () => {
      await navigate('/webhooks');
      void client.invalidateQueries({ queryKey: ['endpoints'] });
    },
  });
  return (
    <>
      <Button variant="default" onClick={dialog.open}>
        Delete
      </Button>
      <Modal
        opened={isOpen}
        onClose={dialog.close}
        title={<Text fw={650}>Delete this endpoint?</Text>}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Stack>
          <Text size="sm">Nothing more is sent to it, and its deliveries can’t be seen any more.</Text>
          <Refused error={remove.error} />
          <Group>
            <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
              Delete the endpoint
            </Button>
            <Button variant="default" onClick={dialog.close}>
              Keep it
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}

const TONES = { pending: 'wait', succeeded: 'good', failed: 'bad' } as const;
const WORDS = { pending: 'Pending', succeeded: 'Delivered', failed: 'Failed' } as const;

function DeliveryTag({ status }: { status: DeliveryStatus }) {
  return <Tag tone={TONES[status]}>{WORDS[status]}</Tag>;
}

function Deliveries({ endpoint }: OfEndpoint) {
  const [search, setSearch] = useSearchParams();
  const [page, setPage] = useState(1);
  const [status, setStatus] = useState<DeliveryStatus | null>(null);
  const [event, setEvent] = useState<EventName | null>(null);
  const query = useQuery({
    queryKey: ['deliveries', endpoint.id, page, status, event],
    queryFn: () =>
      readDeliveries(endpoint.id, page, { status: status ?? undefined, event: event ?? undefined }),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });
  return (
    <Card title="Deliveries" flush>
      <Group px="md" py="sm" gap="sm">
        <Select
          aria-label="Status"
          placeholder="Any status"
          size="xs"
          clearable
          clearButtonProps={{ 'aria-label': 'Any status' }}
          data={Object.entries(WORDS).map(([value, label]) => ({ value, label }))}
          value={status}
          onChange={(value) => {
            setStatus(value as DeliveryStatus | null);
            setPage(1);
          }}
        />
        <Select
          aria-label="Event"
          placeholder="Any event"
          size="xs"
          clearable
          clearButtonProps={{ 'aria-label': 'Any event' }}
          data={EVENTS.map(({ name }) => name)}
          value={event}
          onChange={(value) => {
            setEvent(value);
            setPage(1);
          }}
        />
      </Group>
      {!query.data ? (
        query.isError ? (
          <Failure error={query.error} what="The deliveries" onRetry={() => void query.refetch()} />
        ) : (
          <Waiting rows={4} />
        )
      ) : query.data.data.length === 0 ? (
        <Empty title="Nothing was sent">
          {status || event ? 'No delivery is of this kind.' : 'Send a test, or put money into a wallet.'}
        </Empty>
      ) : (
        <>
          <ul className="rows" style={{ borderTop: '1px solid var(--mantine-color-default-border)' }}>
            {query.data.data.map((each) => (
              <li key={each.id}>
                <DeliveryRow delivery={each} />
              </li>
            ))}
          </ul>
          <Pager of={query.data.pagination} onChange={setPage} name="deliveries" />
        </>
      )}
      <DeliveryDrawer
        endpoint={endpoint}
        id={search.get('delivery')}
        onClose={() => setSearch({}, { preventScrollReset: true })}
      />
    </Card>
  );
}

function DeliveryRow({ delivery }: { delivery: Delivery }) {
  return (
    <Link to={{ search: `?delivery=${delivery.id}` }} className="row delivery" preventScrollReset>
      <Text size="sm" c="dimmed" component="div">
        <Moment at={delivery.createdAt} />
      </Text>
      <Text fw={500} truncate>
        {delivery.event}
        {delivery.isTest ? ' (test)' : ''}
      </Text>
      <Text size="sm" c="dimmed" truncate>
        {delivery.failureReason ??
          `${delivery.attemptCount} ${delivery.attemptCount === 1 ? 'attempt' : 'attempts'}`}
      </Text>
      <DeliveryTag status={delivery.status} />
    </Link>
  );
}

function DeliveryDrawer({ endpoint, id, onClose }: OfEndpoint & { id: string | null; onClose: () => void }) {
  const client = useQueryClient();
  const query = useQuery({
    queryKey: ['delivery', id],
    queryFn: () => readDelivery(id ?? ''),
    enabled: id !== null,
    refetchInterval: REFRESH_MS,
    placeholderData: id === null ? keepPreviousData : undefined,
  });
  const again = useMutation({
    mutationFn: () => replay(id ?? ''),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['delivery', id] });
      void client.invalidateQueries({ queryKey: ['deliveries', endpoint.id] });
    },
  });
  const delivery = query.data;
  return (
    <Drawer
      opened={id !== null}
      onClose={onClose}
      position="right"
      size="lg"
      title={<Text fw={650}>Delivery</Text>}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {!delivery ? (
        query.isError ? (
          <Failure error={query.error} what="This delivery" onRetry={() => void query.refetch()} />
        ) : (
          <Waiting rows={5} />
        )
      ) : (
        <Stack gap="lg">
          <Group justify="space-between">
            <Group gap="xs">
              <Text fw={650}>{delivery.event}</Text>
              <DeliveryTag status={delivery.status} />
            </Group>
            <Button
              size="xs"
              variant="default"
              loading={again.isPending}
              disabled={endpoint.status !== 'enabled'}
              onClick={() => again.mutate()}
            >
              Send again
            </Button>
          </Group>
          <Refused error={again.error} />
          {delivery.nextAttemptAt && (
            <Text size="sm">
              Next attempt: <Moment at={delivery.nextAttemptAt} />
            </Text>
          )}
          <section aria-label="Attempts">
            <Title order={2}>Attempts</Title>
            {delivery.attempts.length === 0 && (
              <Text size="sm" c="dimmed">
                None yet.
              </Text>
            )}
            <ol className="checks">
              {delivery.attempts.map((attempt) => (
                <li key={attempt.at} style={{ gridTemplateColumns: 'minmax(0, 1fr) auto' }}>
                  <Text size="sm" component="div">
                    <Moment at={attempt.at} />
                  </Text>
                  <Text
                    size="sm"
                    fw={600}
                    className={isTaken(attempt.statusCode) && !attempt.error ? 'good' : 'bad'}
                  >
                    {attempt.statusCode ?? 'No answer'}
                    {attempt.durationMs === null ? '' : ` in ${attempt.durationMs} ms`}
                  </Text>
                  {attempt.error && (
                    <Text size="sm" style={{ gridColumn: '1 / 3' }}>
                      {attempt.error}
                    </Text>
                  )}
                  {attempt.response && (
                    <pre className="code" style={{ gridColumn: '1 / 3' }} tabIndex={0} aria-label="Answer">
                      {attempt.response}
                    </pre>
                  )}
                </li>
              ))}
            </ol>
          </section>
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
      )}
    </Drawer>
  );
}

function isTaken(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}
