import { Injectable } from '@nestjs/common';
import { WebhookActivity } from '../notifications/notifications.port.js';
import { Payments } from '../payments/payments.port.js';
import { Settlements } from '../settlement/settlement.port.js';
import { Wallets } from '../wallet/wallet.port.js';
import { Feed } from './feed.js';
import { attemptsBetween, changesBetween, changesByAttempts, type Snapshot } from './live-updates.domain.js';

/** New attempts of a wallet that are told one by one; more are told as one change. */
const ATTEMPTS_TOLD_MAX = 20;
/** How many of the newest payments are looked at for such that are under way, when a feed begins. */
const WATCHED_AT_FIRST = 50;

/** Reads where the things of users stand, and has their feeds tell what changed: a few statements for all of them. */
@Injectable()
export class FeedReader {
  constructor(
    private readonly wallets: Wallets,
    private readonly payments: Payments,
    private readonly settlements: Settlements,
    private readonly webhooks: WebhookActivity,
  ) {}

  /** A feed that begins with how the user's things stand now. */
  async begin(userId: string): Promise<Feed> {
    const snapshot = (await this.snapshotsOf([userId])).get(userId) as Snapshot;
    const feed = new Feed(userId, snapshot);
    const newest = await this.payments.newest([...snapshot.wallets.keys()], WATCHED_AT_FIRST);
    for (const { id, walletId, isBlocked } of newest) if (!isBlocked) feed.watched.set(id, walletId);
    for (const id of (await this.endedAmong([feed])).keys()) feed.watched.delete(id);
    return feed;
  }

  /** Tells what changed since the feeds were begun or refreshed. */
  async refresh(feeds: readonly Feed[]): Promise<void> {
    const snapshots = await this.snapshotsOf(feeds.map(({ userId }) => userId));
    const made = feeds.flatMap((feed) =>
      attemptsBetween(feed.snapshot, snapshots.get(feed.userId) as Snapshot).map((each) => ({
        feed,
        ...each,
      })),
    );
    const isFew = ({ after, upTo }: { after: number; upTo: number }) => upTo - after <= ATTEMPTS_TOLD_MAX;
    const few = made.filter(isFew);
    const attempts = few.length > 0 ? await this.payments.between(few) : [];
    const byWallet = Map.groupBy(attempts, ({ walletId }) => walletId);
    for (const feed of feeds) {
      const snapshot = snapshots.get(feed.userId) as Snapshot;
      const changes = changesBetween(feed.snapshot, snapshot);
      feed.snapshot = snapshot;
      feed.tell(changes);
    }
    for (const each of made) {
      const read = isFew(each) ? (byWallet.get(each.walletId) ?? []) : null;
      each.feed.tell(changesByAttempts(each.walletId, read));
      for (const { id, isBlocked } of read ?? []) if (!isBlocked) each.feed.watch(id, each.walletId);
    }
    const ended = await this.endedAmong(feeds);
    for (const feed of feeds) feed.end([...feed.watched.keys()].filter((id) => ended.has(id)));
  }

  /** The watched payments whose settlement has ended. */
  private async endedAmong(feeds: readonly Feed[]): Promise<ReadonlySet<string>> {
    const ids = feeds.flatMap(({ watched }) => [...watched.keys()]);
    const statuses = ids.length > 0 ? await this.settlements.statusesOf(ids) : new Map<string, string>();
    return new Set(
      [...statuses].flatMap(([id, status]) => (status === 'pending' || status === 'processing' ? [] : [id])),
    );
  }

  private async snapshotsOf(userIds: readonly string[]): Promise<ReadonlyMap<string, Snapshot>> {
    const [wallets, endpoints] = await Promise.all([
      this.wallets.statesOf(userIds),
      this.webhooks.statesOf(userIds),
    ]);
    const walletsOf = Map.groupBy(wallets, ({ userId }) => userId);
    const endpointsOf = Map.groupBy(endpoints, ({ userId }) => userId);
    return new Map(
      userIds.map((userId) => [
        userId,
        {
          wallets: new Map((walletsOf.get(userId) ?? []).map((each) => [each.walletId, each])),
          endpoints: new Map((endpointsOf.get(userId) ?? []).map((each) => [each.endpointId, each.state])),
        },
      ]),
    );
  }
}
