import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../platform/database/tx.js';
import { Wallets } from '../../wallet/wallet.port.js';
import type { EventName } from '../notifications.domain.js';
import { EndpointStore, type Subscription } from './endpoints.store.js';

const OWNERS_KEPT_MAX = 100_000;

/** What a transaction has read of subscriptions, so that a batch with several kinds of events reads them once. */
interface ReadSubscriptions {
  readonly byOwner: Map<string, Subscription[]>;
  /** Wallets whose owners have no endpoint: most of them, so that they are asked of first. */
  readonly unheard: Set<string>;
  /** Fulfilled once all that was asked for is there: handlers of one transaction run side by side. */
  done: Promise<unknown>;
}

/** Who listens to what happens to wallets, as the transaction sees it in which it happens. */
@Injectable()
export class Subscriptions {
  /** Owners of wallets, which never change. */
  private readonly owners = new Map<string, string>();
  private readonly read = new WeakMap<Tx, ReadSubscriptions>();

  constructor(
    private readonly endpoints: EndpointStore,
    private readonly wallets: Wallets,
  ) {}

  /**
   * The endpoints that listen to `event`, by wallet; null when their owners have none at all. Costs one statement for a
   * whole batch, and none when an earlier batch of the same transaction was about the same owners.
   */
  async endpointsFor(
    event: EventName,
    happened: readonly { readonly walletId: string }[],
    tx: Tx,
  ): Promise<((walletId: string) => string[]) | null> {
    const read: ReadSubscriptions = this.read.get(tx) ?? {
      byOwner: new Map(),
      unheard: new Set(),
      done: Promise.resolve(),
    };
    if (happened.every(({ walletId }) => read.unheard.has(walletId))) return null;
    this.read.set(tx, read);
    const { byOwner, unheard } = read;
    const owners = await this.ownersOf(happened, tx);
    const unread: string[] = [];
    for (const owner of owners.values()) {
      if (byOwner.has(owner)) continue;
      byOwner.set(owner, []);
      unread.push(owner);
    }
    if (unread.length > 0) read.done = Promise.all([read.done, this.readInto(byOwner, unread, tx)]);
    await read.done;
    let isHeard = false;
    for (const [walletId, owner] of owners) {
      if (byOwner.get(owner)?.length === 0) unheard.add(walletId);
      else isHeard = true;
    }
    if (!isHeard) return null;
    return (walletId) =>
      (byOwner.get(owners.get(walletId) ?? '') ?? [])
        .filter(
          ({ events, walletIds }) =>
            events.includes(event) && (walletIds === null || walletIds.includes(walletId)),
        )
        .map(({ endpointId }) => endpointId);
  }

  private async readInto(
    byOwner: ReadonlyMap<string, Subscription[]>,
    owners: readonly string[],
    tx: Tx,
  ): Promise<void> {
    for (const each of await this.endpoints.subscriptionsOf(owners, tx)) byOwner.get(each.userId)?.push(each);
  }

  private async ownersOf(
    happened: readonly { readonly walletId: string }[],
    tx: Tx,
  ): Promise<Map<string, string>> {
    const owners = new Map<string, string>();
    const unknown = new Set<string>();
    for (const { walletId } of happened) {
      const owner = this.owners.get(walletId);
      if (owner === undefined) unknown.add(walletId);
      else owners.set(walletId, owner);
    }
    if (unknown.size === 0) return owners;
    if (this.owners.size + unknown.size > OWNERS_KEPT_MAX) this.owners.clear();
    for (const [walletId, owner] of await this.wallets.ownersOf([...unknown], tx)) {
      this.owners.set(walletId, owner);
      owners.set(walletId, owner);
    }
    return owners;
  }
}
