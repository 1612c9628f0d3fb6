import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../platform/database/tx.js';
import { Wallets } from '../../wallet/wallet.port.js';
import type { EventName } from '../notifications.domain.js';
import { EndpointStore, type Subscription } from './endpoints.store.js';

/** Past this bound the cache is cleared. */
const OWNERS_KEPT_MAX = 100_000;

interface ReadSubscriptions {
  readonly byOwner: Map<string, Subscription[]>;
  /** Fast path: most owners have no endpoint. */
  readonly withoutEndpoints: Set<string>;
  /** Settles once all requested rows are there: handlers of one transaction run concurrently. */
  done: Promise<unknown>;
}

@Injectable()
export class Subscriptions {
  private readonly owners = new Map<string, string>();
  private readonly read = new WeakMap<Tx, ReadSubscriptions>();

  constructor(
    private readonly endpoints: EndpointStore,
    private readonly wallets: Wallets,
  ) {}

  /**
   * Returns the endpoints that get `event`, by wallet; null if the owners have none. One statement per batch of new
   * owners, none for known ones.
   */
  async endpointsFor(
    event: EventName,
    wallets: readonly { readonly walletId: string }[],
    tx: Tx,
  ): Promise<((walletId: string) => string[]) | null> {
    const read: ReadSubscriptions = this.read.get(tx) ?? {
      byOwner: new Map(),
      withoutEndpoints: new Set(),
      done: Promise.resolve(),
    };
    if (wallets.every(({ walletId }) => read.withoutEndpoints.has(walletId))) return null;
    this.read.set(tx, read);
    const { byOwner, withoutEndpoints } = read;
    const owners = await this.ownersOf(wallets, tx);
    const unread: string[] = [];
    for (const owner of owners.values()) {
      if (byOwner.has(owner)) continue;
      byOwner.set(owner, []);
      unread.push(owner);
    }
    if (unread.length > 0) read.done = Promise.all([read.done, this.readInto(byOwner, unread, tx)]);
    await read.done;
    let hasEndpoints = false;
    for (const [walletId, owner] of owners) {
      if (byOwner.get(owner)?.length === 0) withoutEndpoints.add(walletId);
      else hasEndpoints = true;
    }
    if (!hasEndpoints) return null;
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
    for (const each of await this.endpoints.subscriptionsOf(owners, tx))
      byOwner.get(each.accountId)?.push(each);
  }

  private async ownersOf(
    wallets: readonly { readonly walletId: string }[],
    tx: Tx,
  ): Promise<Map<string, string>> {
    const owners = new Map<string, string>();
    const unknown = new Set<string>();
    for (const { walletId } of wallets) {
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
