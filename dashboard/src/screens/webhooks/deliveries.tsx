import { Group, Select, Text } from '@mantine/core';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { deliveries as readDeliveries } from '../../api/calls.js';
import type { Delivery, DeliveryStatus, EventName } from '../../api/types.js';
import { pluralize } from '../../pluralize.js';
import { WATCHED_MS } from '../../poll-intervals.js';
import { Answer } from '../../parts/answer.js';
import { Card } from '../../parts/card.js';
import { Empty } from '../../parts/empty.js';
import { Moment } from '../../parts/moment.js';
import { Pager } from '../../parts/pager.js';
import { Rows, RowsLoading } from '../../parts/rows.js';
import { asSentence } from '../../sentence.js';
import { EVENTS } from '../../webhook-events.js';
import { DeliveryDrawer } from './delivery-drawer.js';
import { DELIVERY_WORDS, DeliveryTag } from './delivery-tag.js';

interface Which {
  page: number;
  status: DeliveryStatus | null;
  event: EventName | null;
}

const deliveriesQuery = (endpointId: string, { page, status, event }: Which) =>
  queryOptions({
    queryKey: ['deliveries', endpointId, page, status, event],
    queryFn: () =>
      readDeliveries(endpointId, page, { status: status ?? undefined, event: event ?? undefined }),
  });

export const newestDeliveries = (endpointId: string) =>
  deliveriesQuery(endpointId, { page: 1, status: null, event: null });

/** What was and is to be sent to an endpoint. */
export function Deliveries({ endpointId, isEnabled }: { endpointId: string; isEnabled: boolean }) {
  const [search, setSearch] = useSearchParams();
  const [page, setPage] = useState(1);
  const [status, setStatus] = useState<DeliveryStatus | null>(null);
  const [event, setEvent] = useState<EventName | null>(null);
  const query = useQuery({
    ...deliveriesQuery(endpointId, { page, status, event }),
    refetchInterval: WATCHED_MS,
    placeholderData: keepPreviousData,
  });
  return (
    <Card title="Deliveries" flush>
      <Group px="md" py="sm" gap="sm" className="filters">
        <Select
          aria-label="Status"
          placeholder="Any status"
          size="xs"
          className="filter"
          clearable
          clearButtonProps={{ 'aria-label': 'Any status' }}
          data={Object.entries(DELIVERY_WORDS).map(([value, label]) => ({ value, label }))}
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
          className="filter"
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
      <Answer of={query} what="The deliveries" loading={<RowsLoading kind="delivery" rows={6} />}>
        {({ data, pagination }) =>
          data.length === 0 ? (
            <Empty title="Nothing was sent">
              {status || event ? 'No delivery is of this kind.' : 'Send a test, or put money into a wallet.'}
            </Empty>
          ) : (
            <>
              <Rows kind="delivery">
                {data.map((each) => (
                  <li key={each.id}>
                    <DeliveryRow delivery={each} />
                  </li>
                ))}
              </Rows>
              <Pager of={pagination} onChange={setPage} one="delivery" many="deliveries" />
            </>
          )
        }
      </Answer>
      <DeliveryDrawer
        endpointId={endpointId}
        isEnabled={isEnabled}
        id={search.get('delivery')}
        onClose={() => setSearch({}, { preventScrollReset: true })}
      />
    </Card>
  );
}

function DeliveryRow({ delivery }: { delivery: Delivery }) {
  return (
    <Link to={{ search: `?delivery=${delivery.id}` }} className="row delivery" preventScrollReset>
      <div>
        <Text size="sm" fw={500} truncate>
          {delivery.event}
          {delivery.isTest ? ' (test)' : ''}
        </Text>
        <Text size="xs" c="dimmed" truncate>
          {delivery.failureReason
            ? asSentence(delivery.failureReason)
            : pluralize(delivery.attemptCount, 'attempt')}
        </Text>
      </div>
      <Text size="xs" c="dimmed" component="div">
        <Moment at={delivery.createdAt} />
      </Text>
      <div>
        <DeliveryTag status={delivery.status} />
      </div>
    </Link>
  );
}
