import { queryOptions } from '@tanstack/react-query';
import { overview } from '../live/poll-intervals.js';
import { pageOrLast } from './pages.js';
import { queryKeys } from './query-keys.js';
import { answerOf, api, data } from './request.js';
import type { DeliveryStatus, Endpoint, EndpointChange, EndpointSettings, EventName } from './types.js';

/* The calls about webhook endpoints and their deliveries. */

const PAGE_SIZE = 10;

const ofEndpoint = (endpointId: string) => ({ params: { path: { endpointId } } });
const ofDelivery = (deliveryId: string) => ({ params: { path: { deliveryId } } });

export const endpoints = (asked: number) =>
  pageOrLast(asked, (page) =>
    answerOf(api.GET('/v1/webhook-endpoints', { params: { query: { page, pageSize: 20 } } })),
  );

/** All that an account can have. */
const allEndpointsQuery = queryOptions({
  queryKey: queryKeys.endpoints('all'),
  queryFn: () =>
    data(answerOf(api.GET('/v1/webhook-endpoints', { params: { query: { page: 1, pageSize: 100 } } }))),
  refetchInterval: overview,
});

/** The endpoints that the service itself has paused. */
export const pausedEndpointsQuery = {
  ...allEndpointsQuery,
  select: (all: Endpoint[]) => all.filter(isPausedByService),
};

/** True once there is an endpoint. */
export const hasEndpointQuery = { ...allEndpointsQuery, select: (all: Endpoint[]) => all.length > 0 };

export const isPausedByService = ({ disabledReason }: Pick<Endpoint, 'disabledReason'>) =>
  disabledReason !== null && disabledReason !== 'disabled by its owner';

/** The newest endpoint of just this URL, as it is stored, or nothing. */
export const newestEndpointAt = async (url: string) =>
  (await endpoints(1)).data.find((each) => each.url === new URL(url).href);

export const endpoint = (id: string) =>
  data(answerOf(api.GET('/v1/webhook-endpoints/{endpointId}', ofEndpoint(id))));

export const createEndpoint = (body: EndpointSettings) =>
  data(answerOf(api.POST('/v1/webhook-endpoints', { body })));

export const changeEndpoint = (id: string, body: EndpointChange) =>
  data(answerOf(api.PATCH('/v1/webhook-endpoints/{endpointId}', { ...ofEndpoint(id), body })));

export const deleteEndpoint = (id: string) =>
  answerOf(api.DELETE('/v1/webhook-endpoints/{endpointId}', ofEndpoint(id)));

export const rotateSecret = (id: string, revokePrevious: boolean) =>
  data(
    answerOf(
      api.POST('/v1/webhook-endpoints/{endpointId}/rotate-secret', {
        ...ofEndpoint(id),
        body: { revokePrevious },
      }),
    ),
  );

export const sendTest = (id: string, event: EventName) =>
  data(answerOf(api.POST('/v1/webhook-endpoints/{endpointId}/test', { ...ofEndpoint(id), body: { event } })));

export const deliveries = (
  endpointId: string,
  asked: number,
  only: { status?: DeliveryStatus | undefined; event?: EventName | undefined },
) =>
  pageOrLast(asked, (page) => {
    const query = { page, pageSize: PAGE_SIZE, ...only };
    return answerOf(
      api.GET('/v1/webhook-endpoints/{endpointId}/deliveries', { params: { path: { endpointId }, query } }),
    );
  });

export const recover = (id: string, since: string) =>
  data(
    answerOf(api.POST('/v1/webhook-endpoints/{endpointId}/recover', { ...ofEndpoint(id), body: { since } })),
  );

export const delivery = (id: string) =>
  data(answerOf(api.GET('/v1/webhook-deliveries/{deliveryId}', ofDelivery(id))));

export const replay = (id: string) =>
  data(answerOf(api.POST('/v1/webhook-deliveries/{deliveryId}/replay', ofDelivery(id))));
