/** The service disabled a webhook endpoint, until its owner enables it. */
export class EndpointDisabled {
  static readonly type = 'webhook-endpoint.disabled';
  readonly endpointId: string;
  /** The account. */
  readonly userId: string;
  readonly url: string;
  readonly reason: string;
  /** ISO 8601; absent on events of older releases. */
  readonly at?: string;

  constructor(payload: EndpointDisabled) {
    Object.assign(this, payload);
  }
}

/** Every delivery failed for a while. */
export class EndpointFailing {
  static readonly type = 'webhook-endpoint.failing';
  readonly endpointId: string;
  readonly accountId: string;
  readonly url: string;
  readonly since: string;

  constructor(payload: EndpointFailing) {
    Object.assign(this, payload);
  }
}

/** Follows {@link EndpointFailing}. */
export class EndpointRecovered {
  static readonly type = 'webhook-endpoint.recovered';
  readonly endpointId: string;
  readonly accountId: string;
  readonly since: string;

  constructor(payload: EndpointRecovered) {
    Object.assign(this, payload);
  }
}
