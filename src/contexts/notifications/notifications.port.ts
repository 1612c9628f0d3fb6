/** Where the deliveries to an endpoint stand: a text that changes with them, and says nothing else. */
export interface EndpointState {
  readonly endpointId: string;
  readonly userId: string;
  readonly state: string;
}

/** The outbound webhooks, as the other contexts may read them. */
export abstract class WebhookActivity {
  /** Where all endpoints of these users stand. */
  abstract statesOf(userIds: readonly string[]): Promise<readonly EndpointState[]>;
}
