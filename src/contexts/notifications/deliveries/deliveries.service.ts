import { Injectable } from '@nestjs/common';
import { newId } from '../../../kernel/ids.js';
import { AppError } from '../../../kernel/errors.js';
import type { PageRequest } from '../../../kernel/page.js';
import { Database } from '../../../platform/database/database.js';
import type { Tx } from '../../../platform/database/tx.js';
import { Events } from '../../../platform/events/events.js';
import { currentTraceParent } from '../../../platform/observability/tracing.js';
import { AccountActed } from '../../identity/identity.events.js';
import type { Actor } from '../../identity/identity.port.js';
import { type Endpoint, EndpointStore } from '../endpoints/endpoints.store.js';
import { bodyOf, type EventName, EXAMPLES } from '../notifications.domain.js';
import {
  type Delivery,
  type DeliveryFilter,
  DeliveryStore,
  type NewDelivery,
  type RecordedDeliveryAttempt,
} from './deliveries.store.js';
import { Dispatcher } from './dispatcher.js';

const ATTEMPTS_SHOWN_MAX = 200;
/** Per endpoint. */
const TESTS_PER_MINUTE_MAX = 10;
/** Per account, deleted endpoints included. */
const TESTS_PER_HOUR_MAX = 60;
const RECOVERED_AT_ONCE = 2_000;
const LEAST_ID = '00000000-0000-0000-0000-000000000000';

@Injectable()
export class DeliveriesService {
  constructor(
    private readonly store: DeliveryStore,
    private readonly endpoints: EndpointStore,
    private readonly dispatcher: Dispatcher,
    private readonly database: Database,
    private readonly events: Events,
  ) {}

  /** `event`: by default the endpoint's first. Throws `RATE_LIMITED`. */
  async sendTest(id: string, actor: Actor, event: EventName | null): Promise<Delivery> {
    const { accountId } = actor;
    return this.database.transaction(async (tx) => {
      const endpoint = await this.requireEnabled(id, accountId, tx);
      await this.countTest(endpoint.id, accountId, tx);
      const name = event ?? endpoint.events[0] ?? 'wallet.funded';
      const delivery: NewDelivery = {
        id: newId(),
        endpointId: endpoint.id,
        eventId: newId(),
        event: name,
        walletId: null,
        body: bodyOf(name, EXAMPLES[name]),
        isTest: true,
        requestId: null,
        traceParent: currentTraceParent(),
      };
      this.store.add([delivery], tx);
      await this.record(actor, 'tested', endpoint.id, { event: name }, tx);
      tx.afterCommit(() => this.dispatcher.wake());
      return this.store.requireDelivery(delivery.id, accountId, tx);
    });
  }

  /** Throws `RATE_LIMITED`: a test can name any address, which it must not flood. */
  private async countTest(endpointId: string, accountId: string, tx: Tx): Promise<void> {
    await this.endpoints.lockUser(accountId, tx);
    const sent = await this.store.countTests(endpointId, accountId, tx);
    if (sent.toEndpoint >= TESTS_PER_MINUTE_MAX) {
      throw new AppError(
        'RATE_LIMITED',
        `At most ${TESTS_PER_MINUTE_MAX} tests a minute go to one endpoint. Try again in a minute.`,
        { retryAfterSeconds: 60 },
      );
    }
    if (sent.byUser >= TESTS_PER_HOUR_MAX) {
      throw new AppError(
        'RATE_LIMITED',
        `You can send ${TESTS_PER_HOUR_MAX} tests an hour. Try again later.`,
        {
          retryAfterSeconds: 600,
        },
      );
    }
    await this.store.addTest(endpointId, accountId, tx);
  }

  async list(
    id: string,
    accountId: string,
    filter: DeliveryFilter,
    request: PageRequest,
  ): ReturnType<DeliveryStore['deliveriesOf']> {
    const endpoint = await this.endpoints.require(id, accountId);
    return this.store.deliveriesOf(endpoint.id, filter, request);
  }

  async listBefore(
    id: string,
    accountId: string,
    filter: DeliveryFilter,
    before: string | null,
    limit: number,
  ): Promise<{ rows: readonly Delivery[]; next: string | null }> {
    const endpoint = await this.endpoints.require(id, accountId);
    return this.store.deliveriesBefore(endpoint.id, filter, before, limit);
  }

  async get(
    id: string,
    accountId: string,
  ): Promise<Delivery & { attempts: readonly RecordedDeliveryAttempt[] }> {
    const delivery = await this.store.requireDelivery(id, accountId, this.database);
    return { ...delivery, attempts: await this.store.attemptsOf(delivery.id, ATTEMPTS_SHOWN_MAX) };
  }

  /** Under the same `webhook-id`, with all retries. Throws `RATE_LIMITED` for a test. */
  async replay(id: string, actor: Actor): Promise<Delivery> {
    const { accountId } = actor;
    const resent = await this.database.transaction(async (tx) => {
      const delivery = await this.store.requireDelivery(id, accountId, tx);
      await this.requireEnabled(delivery.endpointId, accountId, tx);
      if (delivery.isTest) await this.countTest(delivery.endpointId, accountId, tx);
      await this.store.resend(delivery, tx);
      const { endpointId, event } = delivery;
      await this.record(actor, 'replayed', delivery.id, { endpointId, event }, tx);
      tx.afterCommit(() => this.dispatcher.wake());
      return this.store.requireDelivery(id, accountId, tx);
    });
    await this.endpoints.touch(resent.endpointId);
    return resent;
  }

  /** Except tests. Returns how many. */
  async recover(id: string, actor: Actor, since: Date): Promise<number> {
    const endpoint = await this.database.transaction(async (tx) => {
      const enabled = await this.requireEnabled(id, actor.accountId, tx);
      await this.record(actor, 'recovered', enabled.id, { since }, tx);
      return enabled;
    });
    let recovered = 0;
    for (let after: string | null = LEAST_ID; after !== null;) {
      const { count, last } = await this.store.resendFailed(endpoint.id, since, after, RECOVERED_AT_ONCE);
      this.dispatcher.wake();
      recovered += count;
      after = last;
    }
    await this.endpoints.touch(endpoint.id);
    return recovered;
  }

  private async record(
    { accountId, userId }: Actor,
    act: string,
    subject: string,
    after: object,
    tx: Tx,
  ): Promise<void> {
    await this.events.publish(
      [new AccountActed({ accountId, userId, act: `webhook.${act}`, subject, after })],
      tx,
    );
  }

  private async requireEnabled(id: string, accountId: string, tx?: Tx): Promise<Endpoint> {
    const endpoint = await this.endpoints.require(id, accountId, tx);
    if (endpoint.status === 'enabled') return endpoint;
    throw new AppError('WEBHOOK_ENDPOINT_DISABLED', 'This webhook endpoint is disabled: enable it first.');
  }
}
