import { EventOf } from '../../kernel/event.js';

/** The service disabled a webhook endpoint, until its owner enables it. */
export class EndpointDisabled extends EventOf<{
  readonly endpointId: string;
  /** The account. */
  readonly userId: string;
  readonly url: string;
  readonly reason: string;
  /** ISO 8601; absent on events of older releases. */
  readonly at?: string;
}>('webhook-endpoint.disabled') {}

/** Every delivery failed for a while. */
export class EndpointFailing extends EventOf<{
  readonly endpointId: string;
  readonly accountId: string;
  readonly url: string;
  readonly since: string;
}>('webhook-endpoint.failing') {}

/** Follows {@link EndpointFailing}. */
export class EndpointRecovered extends EventOf<{
  readonly endpointId: string;
  readonly accountId: string;
  readonly since: string;
}>('webhook-endpoint.recovered') {}
