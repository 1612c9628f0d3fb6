import { randomUUID } from 'node:crypto';
import { Receiver } from './receiver.js';
import {
  type CreatedWallet,
  expectStatus,
  type ServiceOverrides,
  startService,
  type TestService,
  type TestUser,
  until,
} from './service.js';

export interface Endpoint {
  readonly id: string;
  readonly url: string;
  readonly events: string[];
  readonly walletIds: string[] | null;
  readonly status: string;
  readonly disabledReason: string | null;
  readonly disabledAt: string | null;
  readonly secret: string;
}

export interface Delivery {
  readonly id: string;
  readonly webhookId: string;
  readonly event: string;
  readonly walletId: string | null;
  readonly isTest: boolean;
  readonly status: string;
  readonly attemptCount: number;
  readonly nextAttemptAt: string | null;
  readonly failureReason: string | null;
  readonly body: { event: string; data: Record<string, unknown> };
  readonly attempts: {
    at: string;
    statusCode: number | null;
    durationMs: number;
    response: string | null;
    error: string | null;
  }[];
}

export interface ErrorBody {
  readonly error: { code: string; message: string; errors?: { field: string; message: string }[] };
}

export const ALL_EVENTS = [
  'wallet.funded',
  'payment.approved',
  'payment.blocked',
  'payment.settled',
  'payment.refunded',
  'wallet.low_balance',
];

/** A service with short delays between attempts, a receiver, and what a subscriber does most. */
export class Subscribers {
  private constructor(
    readonly service: TestService,
    readonly receiver: Receiver,
  ) {}

  static async start(overrides: Pick<ServiceOverrides, 'clock'> = {}): Promise<Subscribers> {
    const service = await startService({ env: { WEBHOOK_RETRY_SECONDS: '0.2,0.2,0.2' }, ...overrides });
    return new Subscribers(service, await Receiver.start());
  }

  async close(): Promise<void> {
    await this.service.close();
    await this.receiver.close();
  }

  async subscribe(
    { token }: TestUser,
    path: string,
    fields: Record<string, unknown> = {},
  ): Promise<Endpoint> {
    const answer = await this.service.post<{ data: Endpoint }>('/v1/webhook-endpoints', {
      token,
      body: { url: this.receiver.url(path), ...fields },
    });
    return expectStatus(201, answer).body.data;
  }

  async deliveriesOf(user: TestUser, { id }: Endpoint, query = ''): Promise<Delivery[]> {
    const path = `/v1/webhook-endpoints/${id}/deliveries${query}`;
    return expectStatus(200, await this.service.get<{ data: Delivery[] }>(path, { token: user.token })).body
      .data;
  }

  async deliveryOf({ token }: TestUser, id: string): Promise<Delivery> {
    const answer = await this.service.get<{ data: Delivery }>(`/v1/webhook-deliveries/${id}`, { token });
    return expectStatus(200, answer).body.data;
  }

  async endpointOf({ token }: TestUser, id: string): Promise<Endpoint> {
    const answer = await this.service.get<{ data: Endpoint }>(`/v1/webhook-endpoints/${id}`, { token });
    return expectStatus(200, answer).body.data;
  }

  /** The one delivery of an endpoint, once it is no longer pending. */
  async outcome(user: TestUser, endpoint: Endpoint): Promise<Delivery> {
    await until(async () => {
      const [row] = await this.service.query<{ isOver: boolean | null }>(
        `SELECT bool_and(status <> 'pending') AS "isOver" FROM webhook_deliveries WHERE endpoint_id = $1`,
        [endpoint.id],
      );
      return row?.isOver === true;
    });
    const [delivery] = await this.deliveriesOf(user, endpoint);
    return this.deliveryOf(user, delivery!.id);
  }

  sendTest({ token }: TestUser, { id }: Endpoint, body?: object) {
    return this.service.post<{ data: Delivery } & ErrorBody>(`/v1/webhook-endpoints/${id}/test`, {
      token,
      body,
    });
  }

  /** A user with a wallet and one endpoint at a path that no other test uses. */
  async subscriber(
    fields: Record<string, unknown> = {},
  ): Promise<{ user: TestUser; wallet: CreatedWallet; endpoint: Endpoint; path: string }> {
    const user = await this.service.signUp();
    const wallet = await this.service.createWallet(user);
    const path = `/${randomUUID()}`;
    return { user, wallet, endpoint: await this.subscribe(user, path, fields), path };
  }
}
