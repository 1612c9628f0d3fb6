import type { Page, PageRequest } from '../../kernel/page.js';

/** `state` is an opaque text that changes with the endpoint and its deliveries. */
export interface EndpointState {
  readonly endpointId: string;
  readonly accountId: string;
  readonly state: string;
}

export interface FailingEndpoint {
  readonly id: string;
  readonly accountId: string;
  /** The rest of a URL may hold a secret. */
  readonly host: string;
  readonly status: 'enabled' | 'disabled';
  readonly disabledReason: string | null;
  readonly failingSince: Date | null;
  readonly lastFailedAt: Date | null;
}

export abstract class FailingEndpoints {
  /** Longest first. */
  abstract page(request: PageRequest): Promise<Page<FailingEndpoint>>;
  /** Paused ones too. */
  abstract of(accountId: string): Promise<readonly FailingEndpoint[]>;
}

export abstract class WebhookActivity {
  abstract statesOf(accountIds: readonly string[]): Promise<readonly EndpointState[]>;
}
