import { Injectable } from '@nestjs/common';
import { WebhookActivity } from '../notifications/notifications.port.js';
import { Payments } from '../payments/payments.port.js';
import { Settlements } from '../settlement/settlement.port.js';
import { WalletActivity } from '../wallet/wallet-activity.port.js';
import { Feed } from './feed.js';
import { attemptsBetween, changesBetween, changesByAttempts, type Snapshot } from './live-updates.domain.js';

/** More become one change. */
const FEED_ATTEMPTS_MAX = 20;
const FEED_PAYMENTS_MAX = 50;
const FEED_WITHDRAWALS_MAX = 10;

interface FeedsWallets {
  readonly feed: Feed;
  readonly walletIds: readonly string[];
}

/** In a few statements for all users. */
@Injectable()
export class FeedReader {
  constructor(
    private readonly wallets: WalletActivity,
    private readonly payments: Payments,
    private readonly settlements: Settlements,
    private readonly webhooks: WebhookActivity,
  ) {}

  async begin(accountId: string): Promise<Feed> {
    const snapshot = (await this.snapshotsOf([accountId])).get(accountId) as Snapshot;
    const feed = new Feed(accountId, snapshot);
    const walletIds = [...snapshot.wallets.keys()];
    const newest = await this.payments.newest(walletIds, FEED_PAYMENTS_MAX);
    for (const { id, walletId, isBlocked } of newest) if (!isBlocked) feed.payments.set(id, walletId);
    for (const id of await this.endedAmong(feed.watched)) feed.payments.delete(id);
    await this.watchWithdrawals([{ feed, walletIds }]);
    return feed;
  }

  async refresh(feeds: readonly Feed[]): Promise<void> {
    const snapshots = await this.snapshotsOf(feeds.map(({ accountId }) => accountId));
    const made = feeds.flatMap((feed) =>
      attemptsBetween(feed.snapshot, snapshots.get(feed.accountId) as Snapshot).map((each) => ({
        feed,
        ...each,
      })),
    );
    const isFew = ({ after, upTo }: { after: number; upTo: number }) => upTo - after <= FEED_ATTEMPTS_MAX;
    // Only the newest of many are read, about FEED_ATTEMPTS_MAX per user.
    const walletsOf = Map.groupBy(made, ({ feed }) => feed);
    const read = made.map((each) => {
      const share = Math.ceil(FEED_ATTEMPTS_MAX / (walletsOf.get(each.feed)?.length ?? 1));
      return isFew(each) ? each : { ...each, after: Math.max(each.after, each.upTo - share) };
    });
    const attempts = read.length > 0 ? await this.payments.between(read) : [];
    const byWallet = Map.groupBy(attempts, ({ walletId }) => walletId);
    const changed = feeds.map((feed) => {
      const snapshot = snapshots.get(feed.accountId) as Snapshot;
      return { feed, snapshot, changes: changesBetween(feed.snapshot, snapshot) };
    });
    // Before the changes are sent, so that no end after a client's read is missed.
    await this.watchWithdrawals(
      changed.map(({ feed, changes }) => ({
        feed,
        walletIds: changes.flatMap((change) => (change.type === 'ledger' ? [change.walletId] : [])),
      })),
    );
    for (const { feed, snapshot, changes } of changed) {
      feed.snapshot = snapshot;
      feed.publish(changes);
    }
    for (const each of made) {
      const newest = byWallet.get(each.walletId) ?? [];
      each.feed.publish(changesByAttempts(each.walletId, isFew(each) ? newest : null));
      for (const { id, isBlocked } of newest) if (!isBlocked) each.feed.watchPayment(id, each.walletId);
    }
    const ended = await this.endedAmong(feeds.flatMap(({ watched }) => watched));
    for (const feed of feeds) feed.end(ended);
  }

  /** Finished ones need no change: the ledger's makes clients read them. */
  private async watchWithdrawals(wallets: readonly FeedsWallets[]): Promise<void> {
    const feedOf = new Map(wallets.flatMap(({ feed, walletIds }) => walletIds.map((id) => [id, feed])));
    if (feedOf.size === 0) return;
    const newest = await this.wallets.newestWithdrawals([...feedOf.keys()], FEED_WITHDRAWALS_MAX);
    const ended = await this.endedAmong(newest.map(({ id }) => id));
    for (const { id, walletId } of newest) {
      if (!ended.has(id)) feedOf.get(walletId)?.watchWithdrawal(id, walletId);
    }
  }

  private async endedAmong(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const statuses = ids.length > 0 ? await this.settlements.statusesOf(ids) : new Map<string, string>();
    return new Set(
      [...statuses].flatMap(([id, status]) => (status === 'pending' || status === 'processing' ? [] : [id])),
    );
  }

  private async snapshotsOf(accountIds: readonly string[]): Promise<ReadonlyMap<string, Snapshot>> {
    const [wallets, endpoints] = await Promise.all([
      this.wallets.statesOf(accountIds),
      this.webhooks.statesOf(accountIds),
    ]);
    const walletsOf = Map.groupBy(wallets, ({ accountId }) => accountId);
    const endpointsOf = Map.groupBy(endpoints, ({ accountId }) => accountId);
    return new Map(
      accountIds.map((accountId) => [
        accountId,
        {
          wallets: new Map((walletsOf.get(accountId) ?? []).map((each) => [each.walletId, each])),
          endpoints: new Map((endpointsOf.get(accountId) ?? []).map((each) => [each.endpointId, each.state])),
        },
      ]),
    );
  }
}
