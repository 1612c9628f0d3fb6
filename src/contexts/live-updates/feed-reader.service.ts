import { Injectable } from '@nestjs/common';
import { WebhookActivity } from '../notifications/notifications.port.js';
import { Payments } from '../payments/payments.port.js';
import { Settlements } from '../settlement/settlement.port.js';
import { WalletActivity } from '../wallet/wallet-activity.port.js';
import { Feed } from './feed.js';
import { attemptsBetween, changesBetween, changesByAttempts, type Snapshot } from './live-updates.domain.js';

/** New attempts of a wallet that are told one by one; more are told as one change. */
const ATTEMPTS_TOLD_MAX = 20;
/** How many of the newest payments are looked at for such that are under way, when a feed begins. */
const WATCHED_AT_FIRST = 50;
/** How many of a wallet's newest withdrawals are looked at for such that are under way. */
const WITHDRAWALS_LOOKED_AT = 10;

/** Wallets of a feed's user. */
interface FeedsWallets {
  readonly feed: Feed;
  readonly walletIds: readonly string[];
}

/** Reads where the things of users stand, and has their feeds tell what changed: a few statements for all of them. */
@Injectable()
export class FeedReader {
  constructor(
    private readonly wallets: WalletActivity,
    private readonly payments: Payments,
    private readonly settlements: Settlements,
    private readonly webhooks: WebhookActivity,
  ) {}

  /** A feed that begins with how the user's things stand now. */
  async begin(userId: string): Promise<Feed> {
    const snapshot = (await this.snapshotsOf([userId])).get(userId) as Snapshot;
    const feed = new Feed(userId, snapshot);
    const walletIds = [...snapshot.wallets.keys()];
    const newest = await this.payments.newest(walletIds, WATCHED_AT_FIRST);
    for (const { id, walletId, isBlocked } of newest) if (!isBlocked) feed.payments.set(id, walletId);
    for (const id of await this.endedAmong(feed.watched)) feed.payments.delete(id);
    await this.watchWithdrawals([{ feed, walletIds }]);
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
    // Of many only the newest are read, about ATTEMPTS_TOLD_MAX for each user: what becomes of those is told one by one.
    const walletsOf = Map.groupBy(made, ({ feed }) => feed);
    const read = made.map((each) => {
      const share = Math.ceil(ATTEMPTS_TOLD_MAX / (walletsOf.get(each.feed)?.length ?? 1));
      return isFew(each) ? each : { ...each, after: Math.max(each.after, each.upTo - share) };
    });
    const attempts = read.length > 0 ? await this.payments.between(read) : [];
    const byWallet = Map.groupBy(attempts, ({ walletId }) => walletId);
    const changed = feeds.map((feed) => {
      const snapshot = snapshots.get(feed.userId) as Snapshot;
      return { feed, snapshot, changes: changesBetween(feed.snapshot, snapshot) };
    });
    // Before they are told: what ends after a client has read it is told then.
    await this.watchWithdrawals(
      changed.map(({ feed, changes }) => ({
        feed,
        walletIds: changes.flatMap((change) => (change.type === 'ledger' ? [change.walletId] : [])),
      })),
    );
    for (const { feed, snapshot, changes } of changed) {
      feed.snapshot = snapshot;
      feed.tell(changes);
    }
    for (const each of made) {
      const newest = byWallet.get(each.walletId) ?? [];
      each.feed.tell(changesByAttempts(each.walletId, isFew(each) ? newest : null));
      for (const { id, isBlocked } of newest) if (!isBlocked) each.feed.watchPayment(id, each.walletId);
    }
    const ended = await this.endedAmong(feeds.flatMap(({ watched }) => watched));
    for (const feed of feeds) feed.end(ended);
  }

  /**
   * Watches the withdrawals of these wallets that are under way. One that has ended by now needs no telling: what was
   * told of its wallet's ledger, or that the feed begins, has it read as it is.
   */
  private async watchWithdrawals(wallets: readonly FeedsWallets[]): Promise<void> {
    const feedOf = new Map(wallets.flatMap(({ feed, walletIds }) => walletIds.map((id) => [id, feed])));
    if (feedOf.size === 0) return;
    const newest = await this.wallets.newestWithdrawals([...feedOf.keys()], WITHDRAWALS_LOOKED_AT);
    const ended = await this.endedAmong(newest.map(({ id }) => id));
    for (const { id, walletId } of newest) {
      if (!ended.has(id)) feedOf.get(walletId)?.watchWithdrawal(id, walletId);
    }
  }

  /** Those of these payments and withdrawals whose settlement has ended. */
  private async endedAmong(ids: readonly string[]): Promise<ReadonlySet<string>> {
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
