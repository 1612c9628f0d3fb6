/** `state` is an opaque text that changes with the endpoint and its deliveries. */
export interface EndpointState {
  readonly endpointId: string;
  readonly accountId: string;
  readonly state: string;
}

export abstract class WebhookActivity {
  abstract statesOf(accountIds: readonly string[]): Promise<readonly EndpointState[]>;
}
