import { Injectable } from '@nestjs/common';
import { newId } from '../../../kernel/ids.js';
import { AppError, validationError } from '../../../kernel/errors.js';
import type { Page, PageRequest } from '../../../kernel/page.js';
import type { Tx } from '../../../platform/database/tx.js';
import { Events } from '../../../platform/events/events.js';
import { AccountActed } from '../../identity/identity.events.js';
import { type Actor, Users } from '../../identity/identity.port.js';
import { Database } from '../../../platform/database/database.js';
import type { SecretBox } from '../../../platform/security/secret-box.js';
import { Wallets } from '../../wallet/wallet.port.js';
import { DeliveryStore, type EndpointHealth } from '../deliveries/deliveries.store.js';
import { DeliveryQueueStore } from '../deliveries/delivery-queue.store.js';
import type { AddressGuard } from '../../../platform/security/safe-address.js';
import { urlProblem } from '../../../platform/security/outbound-url.js';
import { ACTIVE_SECRETS_MAX, activeSecrets, newSecret, rotated } from './endpoints.domain.js';
import { type Endpoint, type EndpointSettings, EndpointStore } from './endpoints.store.js';

const ENDPOINTS_MAX = 50;
const DISABLED = 'the endpoint is disabled';
const DELETED = 'the endpoint is deleted';
const OLD_SECRET_KEPT_MS = 24 * 60 * 60 * 1_000;

/** Absent members stay as they are. */
export type EndpointChange = Partial<EndpointSettings & Pick<Endpoint, 'status'>>;

export type EndpointWithHealth = Endpoint & { readonly health: Omit<EndpointHealth, 'endpointId'> };

@Injectable()
export class EndpointsService {
  constructor(
    private readonly store: EndpointStore,
    private readonly deliveries: DeliveryQueueStore,
    private readonly history: DeliveryStore,
    private readonly wallets: Wallets,
    private readonly users: Users,
    private readonly database: Database,
    private readonly guard: AddressGuard,
    private readonly box: SecretBox,
    private readonly events: Events,
    private readonly isProduction: boolean,
  ) {}

  /** Its secret is never shown again. Throws `WEBHOOK_LIMIT_REACHED`. */
  async create(actor: Actor, settings: EndpointSettings): Promise<Endpoint & { secret: string }> {
    const { accountId } = actor;
    await this.assertValid(accountId, settings);
    const id = newId();
    const secret = newSecret();
    return this.database.transaction(async (tx) => {
      const count = await this.store.countForAdding(accountId, tx);
      await this.users.assertMay(actor, 'webhooks.manage', tx);
      if (count >= ENDPOINTS_MAX) {
        throw new AppError(
          'WEBHOOK_LIMIT_REACHED',
          `There can be ${ENDPOINTS_MAX} webhook endpoints at most.`,
        );
      }
      const secrets = [{ sealed: this.box.seal(secret, id), expiresAt: null }];
      const stored = { ...settings, ...normalized(settings) };
      const endpoint = await this.store.add(id, accountId, stored, secrets, tx);
      await this.record(actor, 'created', id, { after: shown(endpoint) }, tx);
      return { ...endpoint, secret };
    });
  }

  async list(accountId: string, request: PageRequest): Promise<Page<EndpointWithHealth>> {
    const { rows, total } = await this.store.list(accountId, request);
    return { rows: await this.withHealth(rows), total };
  }

  async get(id: string, accountId: string): Promise<EndpointWithHealth> {
    const [endpoint] = await this.withHealth([await this.store.require(id, accountId)]);
    return endpoint as EndpointWithHealth;
  }

  private async withHealth(endpoints: readonly Endpoint[]): Promise<EndpointWithHealth[]> {
    const health = await this.history.healthOf(endpoints.map(({ id }) => id));
    const of = new Map(health.map((each) => [each.endpointId, each]));
    return endpoints.map((endpoint) => {
      const { endpointId: _, ...lately } = of.get(endpoint.id) as EndpointHealth;
      return { ...endpoint, health: lately };
    });
  }

  /** Disabling cancels pending deliveries. Enabling, or a new URL, resets the failure times. */
  async change(id: string, actor: Actor, { status, ...change }: EndpointChange): Promise<Endpoint> {
    const { accountId } = actor;
    await this.store.require(id, accountId);
    await this.assertValid(accountId, change);
    const changedEndpoint = await this.database.transaction(async (tx) => {
      const endpoint = await this.lock(id, actor, tx);
      const changed = normalized(change);
      await this.store.change(endpoint.id, changed, tx);
      if (changed.url !== undefined && changed.url !== endpoint.url) {
        await this.store.forgetFailures(endpoint.id, tx);
      }
      if (status === 'enabled') await this.store.enable(endpoint.id, tx);
      if (status === 'disabled') {
        await this.store.disable(endpoint.id, 'disabled by its owner', null, tx);
        await this.deliveries.cancelPending(endpoint.id, DISABLED, null, tx);
      }
      const after = await this.store.require(id, accountId, tx);
      const fields = { before: shown(endpoint), after: shown(after) };
      await this.record(actor, 'changed', endpoint.id, fields, tx);
      return after;
    });
    if (status === 'disabled') await this.deliveries.cancelRest(changedEndpoint.id, DISABLED);
    return changedEndpoint;
  }

  async delete(id: string, actor: Actor): Promise<string> {
    const deletedId = await this.database.transaction(async (tx) => {
      const endpoint = await this.lock(id, actor, tx);
      await this.store.delete(endpoint.id, tx);
      await this.deliveries.cancelPending(endpoint.id, DELETED, null, tx);
      await this.record(actor, 'deleted', endpoint.id, { before: shown(endpoint) }, tx);
      return endpoint.id;
    });
    await this.deliveries.cancelRest(deletedId, DELETED);
    return deletedId;
  }

  /** Old secrets keep signing for 24 hours, unless `revokePrevious`. */
  async rotateSecret(
    id: string,
    actor: Actor,
    revokePrevious: boolean,
  ): Promise<{ id: string; secret: string; oldSecretsExpireAt: string | null }> {
    const secret = newSecret();
    return this.database.transaction(async (tx) => {
      const endpoint = await this.lock(id, actor, tx);
      const { secrets, now } = await this.store.secretsOf(endpoint.id, tx);
      if (!revokePrevious && activeSecrets(secrets, now).length >= ACTIVE_SECRETS_MAX) {
        throw new AppError(
          'WEBHOOK_LIMIT_REACHED',
          `${ACTIVE_SECRETS_MAX} secrets sign already. Wait until an old one expires, or drop the old ones.`,
        );
      }
      const until = revokePrevious ? null : new Date(now.getTime() + OLD_SECRET_KEPT_MS);
      const sealed = this.box.seal(secret, endpoint.id);
      await this.store.setSecrets(endpoint.id, rotated(secrets, sealed, until, now), tx);
      await this.record(actor, 'secret-rotated', endpoint.id, { after: { revokePrevious } }, tx);
      return { id: endpoint.id, secret, oldSecretsExpireAt: until?.toISOString() ?? null };
    });
  }

  private async lock(id: string, actor: Actor, tx: Tx): Promise<Endpoint> {
    const endpoint = await this.store.requireLocked(id, actor.accountId, tx);
    await this.users.assertMay(actor, 'webhooks.manage', tx);
    return endpoint;
  }

  private async record(
    { accountId, userId }: Actor,
    act: string,
    subject: string,
    fields: Pick<AccountActed, 'before' | 'after'>,
    tx: Tx,
  ): Promise<void> {
    const acted = { accountId, userId, act: `webhook.${act}`, subject, ...fields };
    await this.events.publish([new AccountActed(acted)], tx);
  }

  /** Throws `VALIDATION_ERROR` for a forbidden address, `WALLET_NOT_FOUND` for a foreign wallet. */
  private async assertValid(accountId: string, { url, walletIds }: EndpointChange): Promise<void> {
    if (url !== undefined) {
      const problem = urlProblem(url, this.isProduction) ?? (await this.guard.problem(new URL(url).hostname));
      if (problem !== null) throw validationError({ field: 'url', message: problem });
    }
    for (const walletId of walletIds ?? []) await this.wallets.requireOwned(walletId, accountId);
  }
}

/** The host alone: the rest of a URL may hold a secret. */
function shown({ url, events, walletIds, description, status }: Endpoint): object {
  return { host: new URL(url).host, events, walletIds, description, status };
}

function normalized<Change extends { readonly url?: string }>(change: Change): Change {
  return change.url === undefined ? change : { ...change, url: new URL(change.url).href };
}
