import { Group, Select } from '@mantine/core';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import type { LinkProps } from 'react-router';
import { queryKeys } from '../../api/query-keys.js';
import { deliveries as readDeliveries } from '../../api/webhooks.js';
import type { Delivery, DeliveryStatus, EventName } from '../../api/types.js';
import { watched } from '../../live/poll-intervals.js';
import { grouped } from '../../money/money.js';
import { Answer } from '../../parts/loading/answer.js';
import { Card } from '../../parts/display/card.js';
import { Empty } from '../../parts/lists/empty.js';
import { Moment } from '../../parts/display/moment.js';
import { Pager } from '../../parts/lists/pager.js';
import { Cell, Row, Rows, RowsLoading, What } from '../../parts/lists/rows.js';
import { Sums } from '../../parts/lists/sums.js';
import { useAddress } from '../../parts/state/use-address.js';
import { asSentence } from '../../text/words.js';
import { EVENTS } from '../../text/webhook-events.js';
import { DeliveryDrawer } from './delivery-drawer.js';
import { DELIVERY_WORDS, DeliveryTag } from './delivery-tag.js';

const STATUSES = Object.keys(DELIVERY_WORDS) as DeliveryStatus[];

interface Which {
  page: number;
  status: DeliveryStatus | null;
  event: EventName | null;
}

const deliveriesQuery = (endpointId: string, { page, status, event }: Which) =>
  queryOptions({
    queryKey: queryKeys.deliveries(endpointId, page, status, event),
    queryFn: () =>
      readDeliveries(endpointId, page, { status: status ?? undefined, event: event ?? undefined }),
  });

export const newestDeliveries = (endpointId: string) =>
  deliveriesQuery(endpointId, { page: 1, status: null, event: null });

export function Deliveries({ endpointId, isEnabled }: { endpointId: string; isEnabled: boolean }) {
  const address = useAddress();
  const page = address.page();
  const status = STATUSES.find((each) => each === address.get('status')) ?? null;
  const event = EVENTS.find(({ name }) => name === address.get('event'))?.name ?? null;
  const query = useQuery({
    ...deliveriesQuery(endpointId, { page, status, event }),
    refetchInterval: watched,
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
          onChange={(value) => address.set({ status: value, page: null })}
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
          onChange={(value) => address.set({ event: value, page: null })}
        />
      </Group>
      <Answer of={query} what="The deliveries" loading={<RowsLoading kind="delivery" rows={6} />}>
        {({ data, pagination, counts }) =>
          data.length === 0 ? (
            <Empty title="No deliveries yet">
              {status || event ? 'No delivery matches these filters.' : 'Send a test, or fund a wallet.'}
            </Empty>
          ) : (
            <>
              <Rows kind="delivery" label="Deliveries">
                {data.map((each) => (
                  <DeliveryRow key={each.id} delivery={each} to={address.to({ delivery: each.id })} />
                ))}
              </Rows>
              <Sums
                isBelow
                parts={STATUSES.map((each) => [
                  DELIVERY_WORDS[each],
                  <strong key={each}>{grouped(counts[each])}</strong>,
                ])}
              />
              <Pager of={pagination} one="delivery" many="deliveries" />
            </>
          )
        }
      </Answer>
      <DeliveryDrawer
        endpointId={endpointId}
        isEnabled={isEnabled}
        id={address.get('delivery')}
        onClose={() => address.set({ delivery: null })}
      />
    </Card>
  );
}

function DeliveryRow({ delivery, to }: { delivery: Delivery; to: LinkProps['to'] }) {
  return (
    <Row to={to}>
      <What name={`${delivery.event}${delivery.isTest ? ' (test)' : ''}`} more={<Tries {...delivery} />} />
      <Cell className="when small">
        <Moment at={delivery.createdAt} />
      </Cell>
      <Cell className="status">
        <DeliveryTag delivery={delivery} />
      </Cell>
    </Row>
  );
}

function Tries({ status, attemptCount, failureReason, nextAttemptAt }: Delivery) {
  const tries = attemptCount === 1 ? '1 try' : `${attemptCount} tries`;
  const isRetrying = status === 'pending' && attemptCount > 0;
  return (
    <>
      {tries}
      {isRetrying && nextAttemptAt && (
        <>
          , next <Moment at={nextAttemptAt} />
        </>
      )}
      {failureReason && ` · ${asSentence(failureReason)}`}
    </>
  );
}
