import { Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { WalletFunded } from '../funding/funding.events.js';
import { PaymentApproved, PaymentBlocked } from '../payments/payments.events.js';
import { SettlementSucceeded } from '../settlement/settlement.events.js';
import { Database, type Tx } from '../../platform/database/database.js';
import { validationError, AppError } from '../../kernel/errors.js';
import { InTransaction, Prefetch } from '../../platform/events/events.js';
import type { Kobo } from '../../kernel/money.js';
import type { Page, PageRequest } from '../../kernel/page.js';
import { WalletCredited, WalletDebited } from '../wallet/wallet.events.js';
import { Wallets } from '../wallet/wallet.port.js';
import { Dispatcher } from './dispatcher.js';
import {
  ACTIVE_SECRETS_MAX,
  activeSecrets,
  bodyOf,
  crosses,
  type EventData,
  type EventName,
  EXAMPLES,
  newSecret,
  rotated,
  urlProblem,
} from './notifications.domain.js';
import {
  type Delivery,
  type DeliveryStatus,
  type Endpoint,
  type EndpointSettings,
  type NewDelivery,
  NotificationsStore,
  type RecordedAttempt,
  type Subscription,
} from './notifications.store.js';
import type { AddressGuard } from './safe-address.js';
import type { SecretBox } from '../../platform/security/secret-box.js';

const ENDPOINTS_MAX = 50;
const OLD_SECRET_MS = 24 * 60 * 60 * 1_000;
const ATTEMPTS_SHOWN_MAX = 200;
const OWNERS_KEPT_MAX = 100_000;

/** A change of an endpoint: what is absent stays. */
export type EndpointChange = Partial<EndpointSettings & Pick<Endpoint, 'status'>>;

/** A subscriber's endpoints and deliveries, and the making of deliveries from what happens. */
@Injectable()
export class NotificationsService {
  /** Owners of wallets, which never change. */
  private readonly owners = new Map<string, string>();
  /** What a transaction has read of subscriptions, so that a batch with several kinds of events reads them once. */
  private readonly read = new WeakMap<Tx, Map<string, Subscription[]>>();

  constructor(
    private readonly store: NotificationsStore,
    private readonly dispatcher: Dispatcher,
    private readonly wallets: Wallets,
    private readonly database: Database,
    private readonly guard: AddressGuard,
    private readonly box: SecretBox,
    private readonly httpsOnly: boolean,
  ) {}

  // --- what happens ----------------------------------------------------------------------------------------

  @InTransaction(WalletFunded)
  async walletsFunded(events: readonly WalletFunded[], tx: Tx): Promise<void> {
    await this.enqueue(
      'wallet.funded',
      events,
      ({ walletId, amountCredited, newBalance, currency, fundedAt }) => ({
        walletId,
        amountCredited,
        newBalance,
        currency,
        fundedAt,
      }),
      tx,
    );
  }

  /** Reads who listens to a wallet while its payments are decided. */
  @Prefetch(PaymentApproved)
  async readAhead(walletIds: readonly string[], tx: Tx): Promise<void> {
    const wallets = walletIds.map((walletId) => ({ walletId }));
    await this.endpointsFor('payment.approved', wallets, tx);
  }

  @InTransaction(PaymentApproved)
  async paymentsApproved(events: readonly PaymentApproved[], tx: Tx): Promise<void> {
    await this.enqueue(
      'payment.approved',
      events,
      (event) => ({ ...attemptData(event), approvedAt: event.at.toISOString() }),
      tx,
    );
  }

  @InTransaction(PaymentBlocked)
  async paymentsBlocked(events: readonly PaymentBlocked[], tx: Tx): Promise<void> {
    await this.enqueue(
      'payment.blocked',
      events,
      (event) => ({
        ...attemptData(event),
        blockReason: event.blockReason,
        message: event.message,
        blockedAt: event.at.toISOString(),
      }),
      tx,
    );
  }

  @InTransaction(SettlementSucceeded)
  async paymentsSettled(events: readonly SettlementSucceeded[], tx: Tx): Promise<void> {
    await this.enqueue(
      'payment.settled',
      events,
      ({ reference: transactionId, walletId, amount, at }) => ({
        transactionId,
        walletId,
        amount,
        currency: 'NGN',
        settledAt: at,
      }),
      tx,
    );
  }

  /** A credit whose cause is a payment is its refund. */
  @InTransaction(WalletCredited)
  async paymentsRefunded(events: readonly WalletCredited[], tx: Tx): Promise<void> {
    const refunds = events.filter(({ cause }) => cause === 'payment');
    await this.enqueue(
      'payment.refunded',
      refunds,
      ({ reference: transactionId, walletId, amount, balanceAfter, at }) => ({
        transactionId,
        walletId,
        amountRefunded: amount,
        newBalance: balanceAfter,
        currency: 'NGN',
        refundedAt: at.toISOString(),
      }),
      tx,
    );
  }

  /** Thresholds are looked up only where somebody listens. */
  @InTransaction(WalletDebited)
  async balancesFell(events: readonly WalletDebited[], tx: Tx): Promise<void> {
    const listeners = await this.endpointsFor('wallet.low_balance', events, tx);
    const heard = events.filter(({ walletId }) => listeners(walletId).length > 0);
    if (heard.length === 0) return;
    const thresholds = await this.store.thresholdsOf([...new Set(heard.map(({ walletId }) => walletId))], tx);
    const low = heard.flatMap((event) => {
      const threshold = thresholds.get(event.walletId);
      return threshold !== undefined && crosses(threshold, event.amount, event.balanceAfter)
        ? [{ event, threshold, walletId: event.walletId }]
        : [];
    });
    await this.enqueue(
      'wallet.low_balance',
      low,
      ({ threshold, event: { walletId, balanceAfter, reference, at } }) => ({
        walletId,
        threshold,
        newBalance: balanceAfter,
        currency: 'NGN',
        transactionId: reference,
        reachedAt: at.toISOString(),
      }),
      tx,
    );
  }

  /** Writes a delivery for each event and each endpoint that listens to it, in the transaction of the events. */
  private async enqueue<Name extends EventName, E extends { readonly walletId: string }>(
    event: Name,
    happened: readonly E[],
    dataOf: (event: E) => EventData[Name],
    tx: Tx,
  ): Promise<void> {
    const listeners = await this.endpointsFor(event, happened, tx);
    const deliveries = happened.flatMap((each): NewDelivery[] => {
      const { walletId } = each;
      const endpointIds = listeners(walletId);
      if (endpointIds.length === 0) return [];
      const message = { eventId: uuid(), event, walletId, body: bodyOf(event, dataOf(each)), isTest: false };
      return endpointIds.map((endpointId) => ({ ...message, id: uuid(), endpointId }));
    });
    if (deliveries.length === 0) return;
    await this.store.add(deliveries, tx);
    this.dispatcher.nudge();
  }

  /**
   * The endpoints that listen to `event`, by wallet. Costs one statement for a whole batch, and none when an earlier
   * batch of the same transaction was about the same owners.
   */
  private async endpointsFor(
    event: EventName,
    happened: readonly { readonly walletId: string }[],
    tx: Tx,
  ): Promise<(walletId: string) => string[]> {
    if (happened.length === 0) return () => [];
    const owners = await this.ownersOf([...new Set(happened.map(({ walletId }) => walletId))], tx);
    const read = this.read.get(tx) ?? new Map<string, Subscription[]>();
    this.read.set(tx, read);
    const unread = [...new Set(owners.values())].filter((owner) => !read.has(owner));
    if (unread.length > 0) {
      for (const owner of unread) read.set(owner, []);
      for (const each of await this.store.subscriptionsOf(unread, tx)) read.get(each.userId)?.push(each);
    }
    return (walletId) =>
      (read.get(owners.get(walletId) ?? '') ?? [])
        .filter(
          ({ events, walletIds }) =>
            events.includes(event) && (walletIds === null || walletIds.includes(walletId)),
        )
        .map(({ endpointId }) => endpointId);
  }

  private async ownersOf(walletIds: readonly string[], tx: Tx): Promise<Map<string, string>> {
    const owners = new Map<string, string>();
    for (const walletId of walletIds) {
      const owner = this.owners.get(walletId);
      if (owner !== undefined) owners.set(walletId, owner);
    }
    const unknown = walletIds.filter((walletId) => !owners.has(walletId));
    if (unknown.length === 0) return owners;
    if (this.owners.size + unknown.length > OWNERS_KEPT_MAX) this.owners.clear();
    for (const [walletId, owner] of await this.wallets.ownersOf(unknown, tx)) {
      this.owners.set(walletId, owner);
      owners.set(walletId, owner);
    }
    return owners;
  }

  // --- endpoints -------------------------------------------------------------------------------------------

  /** Makes an endpoint. Its secret is shown here and never again. Throws `WEBHOOK_LIMIT_REACHED`. */
  async create(userId: string, settings: EndpointSettings): Promise<Endpoint & { secret: string }> {
    await this.requireSound(userId, settings);
    const id = uuid();
    const secret = newSecret();
    return this.database.transaction(async (tx) => {
      if ((await this.store.countForAdding(userId, tx)) >= ENDPOINTS_MAX) {
        throw new AppError(
          'WEBHOOK_LIMIT_REACHED',
          `There can be ${ENDPOINTS_MAX} webhook endpoints at most.`,
        );
      }
      const secrets = [{ sealed: this.box.seal(secret, id), expiresAt: null }];
      return { ...(await this.store.addEndpoint(id, userId, settings, secrets, tx)), secret };
    });
  }

  list(userId: string, request: PageRequest): Promise<Page<Endpoint>> {
    return this.store.endpointsOf(userId, request);
  }

  get(id: string, userId: string): Promise<Endpoint> {
    return this.store.requireEndpoint(id, userId, this.database);
  }

  /** Changes what is given. Disabling gives up what was still to be sent; enabling starts afresh. */
  async change(id: string, userId: string, { status, ...change }: EndpointChange): Promise<Endpoint> {
    await this.store.requireEndpoint(id, userId, this.database);
    await this.requireSound(userId, change);
    return this.database.transaction(async (tx) => {
      const endpoint = await this.store.requireEndpoint(id, userId, tx, true);
      await this.store.changeEndpoint(endpoint.id, { ...endpoint, ...change }, tx);
      if (status === 'enabled') await this.store.enable(endpoint.id, tx);
      if (status === 'disabled') {
        await this.store.disable(endpoint.id, 'disabled by its owner', null, tx);
        await this.store.cancelPendingIn(endpoint.id, 'the endpoint is disabled', null, tx);
      }
      return this.store.requireEndpoint(id, userId, tx);
    });
  }

  /** Nothing more is sent to it. Answers the id as it is stored. */
  async delete(id: string, userId: string): Promise<string> {
    return this.database.transaction(async (tx) => {
      const endpoint = await this.store.requireEndpoint(id, userId, tx, true);
      await this.store.deleteEndpoint(endpoint.id, tx);
      await this.store.cancelPendingIn(endpoint.id, 'the endpoint is deleted', null, tx);
      return endpoint.id;
    });
  }

  /** Makes a new secret. The old ones sign beside it for 24 hours, or no longer at all with `revokePrevious`. */
  async rotateSecret(
    id: string,
    userId: string,
    revokePrevious: boolean,
  ): Promise<{ id: string; secret: string; oldSecretsExpireAt: string | null }> {
    const secret = newSecret();
    return this.database.transaction(async (tx) => {
      const endpoint = await this.store.requireEndpoint(id, userId, tx, true);
      const now = new Date();
      const secrets = await this.store.secretsOf(endpoint.id, tx);
      if (!revokePrevious && activeSecrets(secrets, now).length >= ACTIVE_SECRETS_MAX) {
        throw new AppError(
          'WEBHOOK_LIMIT_REACHED',
          `${ACTIVE_SECRETS_MAX} secrets sign already. Wait until an old one expires, or drop the old ones.`,
        );
      }
      const until = revokePrevious ? null : new Date(now.getTime() + OLD_SECRET_MS);
      const sealed = this.box.seal(secret, endpoint.id);
      await this.store.setSecrets(endpoint.id, rotated(secrets, sealed, until, now), tx);
      return { id: endpoint.id, secret, oldSecretsExpireAt: until?.toISOString() ?? null };
    });
  }

  /** Throws `VALIDATION_ERROR` for an address that may not be sent to, `WALLET_NOT_FOUND` for a foreign wallet. */
  private async requireSound(userId: string, { url, walletIds }: EndpointChange): Promise<void> {
    if (url !== undefined) {
      const problem = urlProblem(url, this.httpsOnly) ?? (await this.guard.problem(new URL(url).hostname));
      if (problem !== null) throw validationError({ field: 'url', message: problem });
    }
    for (const walletId of walletIds ?? []) await this.wallets.requireOwned(walletId, userId);
  }

  // --- deliveries ------------------------------------------------------------------------------------------

  /** Sends an example of `event`, by default of the first one that the endpoint listens to. */
  async sendTest(id: string, userId: string, event: EventName | null): Promise<Delivery> {
    return this.database.transaction(async (tx) => {
      const endpoint = await this.requireEnabled(id, userId, tx);
      const name = event ?? endpoint.events[0] ?? 'wallet.funded';
      const delivery: NewDelivery = {
        id: uuid(),
        endpointId: endpoint.id,
        eventId: uuid(),
        event: name,
        walletId: null,
        body: bodyOf(name, EXAMPLES[name]),
        isTest: true,
      };
      await this.store.add([delivery], tx);
      this.dispatcher.nudge();
      return this.store.requireDelivery(delivery.id, userId, tx);
    });
  }

  async deliveries(
    id: string,
    userId: string,
    filter: { readonly status: DeliveryStatus | null; readonly event: EventName | null },
    request: PageRequest,
  ): Promise<Page<Delivery>> {
    const endpoint = await this.get(id, userId);
    return this.store.deliveriesOf(endpoint.id, filter, request);
  }

  async delivery(id: string, userId: string): Promise<Delivery & { attempts: readonly RecordedAttempt[] }> {
    const delivery = await this.store.requireDelivery(id, userId, this.database);
    return { ...delivery, attempts: await this.store.attemptsOf(delivery.id, ATTEMPTS_SHOWN_MAX) };
  }

  /** Sends a delivery again under the same `webhook-id`, with all its retries. */
  async replay(id: string, userId: string): Promise<Delivery> {
    return this.database.transaction(async (tx) => {
      const delivery = await this.store.requireDelivery(id, userId, tx);
      await this.requireEnabled(delivery.endpointId, userId, tx);
      await this.store.resend(delivery.id, tx);
      this.dispatcher.nudge();
      return this.store.requireDelivery(id, userId, tx);
    });
  }

  /** Sends again all that failed at or after `since`; answers how many deliveries that are. */
  async recover(id: string, userId: string, since: Date): Promise<number> {
    return this.database.transaction(async (tx) => {
      const endpoint = await this.requireEnabled(id, userId, tx);
      const count = await this.store.resendFailed(endpoint.id, since, tx);
      this.dispatcher.nudge();
      return count;
    });
  }

  private async requireEnabled(id: string, userId: string, tx: Tx): Promise<Endpoint> {
    const endpoint = await this.store.requireEndpoint(id, userId, tx);
    if (endpoint.status === 'enabled') return endpoint;
    throw new AppError('WEBHOOK_ENDPOINT_DISABLED', 'This webhook endpoint is disabled: enable it first.');
  }

  // --- low balance -----------------------------------------------------------------------------------------

  async threshold(walletId: string, userId: string): Promise<{ walletId: string; threshold: Kobo | null }> {
    const { id } = await this.wallets.requireOwned(walletId, userId);
    const thresholds = await this.store.thresholdsOf([id], this.database);
    return { walletId: id, threshold: thresholds.get(id) ?? null };
  }

  /** Sets the balance below which `wallet.low_balance` is sent; null: it is not sent. */
  async setThreshold(
    walletId: string,
    userId: string,
    threshold: Kobo | null,
  ): Promise<{ walletId: string; threshold: Kobo | null }> {
    const { id } = await this.wallets.requireOwned(walletId, userId);
    await this.store.setThreshold(id, threshold, this.database);
    return { walletId: id, threshold };
  }
}

function attemptData(event: PaymentApproved | PaymentBlocked) {
  const { transactionId, walletId, amount, merchant, merchantName } = event;
  const { recipientAccountNo, recipientBankCode, reason } = event;
  return {
    transactionId,
    walletId,
    amount,
    currency: 'NGN' as const,
    merchant,
    merchantName,
    recipientAccountNo,
    recipientBankCode,
    reason,
  };
}
