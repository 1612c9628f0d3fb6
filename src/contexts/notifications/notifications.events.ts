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
