import { randomUUID } from 'node:crypto';
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { AppError } from '../../kernel/errors.js';
import { LimitedLog } from '../../platform/observability/limited-log.js';
import { RecurringTask } from '../../platform/jobs/recurring-task.js';
import { Sessions, type SessionUser } from '../identity/identity.port.js';
import { WebhookActivity } from '../notifications/notifications.port.js';
import { Payments } from '../payments/payments.port.js';
import { Settlements } from '../settlement/settlement.port.js';
import { Wallets } from '../wallet/wallet.port.js';
import { attemptsBetween, type Change, changesBetween, type Snapshot } from './live-updates.domain.js';
import { EventStream } from './event-stream.js';

/** How often it is looked for changes, in milliseconds: a change is told within a second. */
const POLL_MS = 500;
/** How often a stream without news says that it lives. */
const HEARTBEAT_MS = 15_000;
/** Streams that one user may have open at once. */
const STREAMS_PER_USER_MAX = 20;
/** Changes of a user that are kept for whoever comes back. */
const KEPT_MAX = 200;
/** How long a user's feed is kept when nobody listens, and of how many users. */
const FEED_KEPT_MS = 5 * 60_000;
const FEEDS_MAX = 2_000;
/** New attempts of a wallet that are told one by one; more are told as one change. */
const ATTEMPTS_TOLD_MAX = 20;
/** Payments under way whose end is watched for, of one user. */
const WATCHED_MAX = 200;
/** How many of the newest payments are looked at for such, when a feed begins. */
const WATCHED_AT_FIRST = 50;
/** Users whose things are read by one statement. */
const USERS_PER_READ = 200;

/** What one user is told, and where it stands. */
interface Feed {
  readonly userId: string;
  /** Tells this feed's events from those of another process, or of a feed that was forgotten. */
  readonly epoch: string;
  readonly streams: Set<EventStream>;
  snapshot: Snapshot;
  /** Payments under way, by transaction id, with their wallets. */
  readonly watched: Map<string, string>;
  /** The newest changes; the last one has the number `count`. */
  readonly kept: Change[];
  count: number;
  idleSince: number;
}

/**
 * Tells users what of theirs changed. The database is asked, not the payment path: while anybody listens, one small
 * read of the listeners' running numbers every {@link POLL_MS} says what changed on whichever replica, and while
 * nobody does, nothing is read at all.
 */
@Injectable()
export class LiveUpdatesService implements OnModuleDestroy {
  private readonly log = new LimitedLog(new Logger(LiveUpdatesService.name));
  private readonly feeds = new Map<string, Feed>();
  private readonly opening = new Map<string, Promise<Feed>>();
  private readonly poll = new RecurringTask(POLL_MS, () => this.pollOnce());
  private readonly streamsOf = new Map<string, number>();
  private streamCount = 0;
  /** Not before: reading takes a tenth of the time at most, however much there is to read. */
  private nextPollAt = 0;
  private isPolling = false;
  private isStopping = false;
  private lastHeartbeat = Date.now();

  constructor(
    private readonly wallets: Wallets,
    private readonly payments: Payments,
    private readonly settlements: Settlements,
    private readonly webhooks: WebhookActivity,
    private readonly sessions: Sessions,
    private readonly streamsMax: number,
  ) {}

  /**
   * Opens a stream for the user of a session. With the id of the last event that was received, the stream goes on right
   * behind it where this process remembers; else it begins with `ready`, on which all that is shown is to be read
   * again. It ends with the session. Throws `RATE_LIMITED` and `OVERLOADED` when there are too many streams.
   */
  async open({ userId, sessionId }: SessionUser, lastEventId: string | undefined): Promise<EventStream> {
    if (this.isStopping)
      throw new AppError('SHUTTING_DOWN', 'The service is stopping.', { retryAfterSeconds: 5 });
    if (this.streamCount >= this.streamsMax) {
      throw new AppError('OVERLOADED', 'Too many streams are open. Ask again from time to time instead.', {
        retryAfterSeconds: 30,
      });
    }
    const ofUser = this.streamsOf.get(userId) ?? 0;
    if (ofUser >= STREAMS_PER_USER_MAX) {
      throw new AppError('RATE_LIMITED', `At most ${STREAMS_PER_USER_MAX} streams of one user can be open.`, {
        retryAfterSeconds: 30,
      });
    }
    const stream = new EventStream(sessionId, () => this.close(userId, stream));
    // Counted before anything is waited for, so that many at once find the bounds too.
    this.streamCount += 1;
    this.streamsOf.set(userId, ofUser + 1);
    try {
      const feed = await this.feedOf(userId);
      if (stream.isClosed) return stream;
      this.feeds.set(userId, feed);
      feed.streams.add(stream);
      this.begin(feed, stream, lastEventId);
      this.startPolling();
      return stream;
    } catch (error) {
      stream.end();
      throw error;
    }
  }

  onModuleDestroy(): Promise<void> {
    this.isStopping = true;
    for (const { streams } of this.feeds.values()) for (const stream of streams) stream.end();
    return this.poll.stop();
  }

  /** The user's feed as it stands now: what changed while nobody listened is in it. */
  private async feedOf(userId: string): Promise<Feed> {
    const known = this.feeds.get(userId);
    if (known && known.streams.size > 0) return known;
    const opening =
      this.opening.get(userId) ??
      (known ? this.refresh([known]).then(() => known) : this.newFeed(userId)).finally(() =>
        this.opening.delete(userId),
      );
    this.opening.set(userId, opening);
    return opening;
  }

  private async newFeed(userId: string): Promise<Feed> {
    const snapshot = (await this.snapshotsOf([userId])).get(userId) as Snapshot;
    const feed: Feed = {
      userId,
      epoch: randomUUID().slice(0, 8),
      streams: new Set(),
      snapshot,
      watched: new Map(),
      kept: [],
      count: 0,
      idleSince: Date.now(),
    };
    for (const { id, walletId } of await this.payments.newestApproved(
      [...snapshot.wallets.keys()],
      WATCHED_AT_FIRST,
    )) {
      feed.watched.set(id, walletId);
    }
    await this.settle([feed]);
    feed.kept.length = 0;
    this.forgetIdle();
    this.feeds.set(userId, feed);
    return feed;
  }

  private begin(feed: Feed, stream: EventStream, lastEventId: string | undefined): void {
    const [epoch, number = ''] = lastEventId?.split('.') ?? [];
    const missed = feed.count - Number(number);
    if (epoch === feed.epoch && /^\d+$/.test(number) && missed >= 0 && missed <= feed.kept.length) {
      stream.comment('resumed');
      for (const [i, change] of feed.kept.slice(feed.kept.length - missed).entries()) {
        stream.send(`${feed.epoch}.${feed.count - missed + i + 1}`, change);
      }
    } else stream.send(`${feed.epoch}.${feed.count}`, { type: 'ready' });
  }

  private close(userId: string, stream: EventStream): void {
    this.streamCount -= 1;
    const left = (this.streamsOf.get(userId) ?? 1) - 1;
    if (left > 0) this.streamsOf.set(userId, left);
    else this.streamsOf.delete(userId);
    const feed = this.feeds.get(userId);
    feed?.streams.delete(stream);
    if (feed?.streams.size === 0) feed.idleSince = Date.now();
    if (this.streamCount === 0) {
      this.isPolling = false;
      void this.poll.stop();
    }
  }

  private startPolling(): void {
    if (this.isPolling) return;
    this.isPolling = true;
    this.poll.start();
  }

  private async pollOnce(): Promise<void> {
    const started = Date.now();
    if (started < this.nextPollAt) return;
    try {
      const feeds = [...this.feeds.values()].filter(({ streams }) => streams.size > 0);
      await this.endDead(feeds);
      for (let i = 0; i < feeds.length; i += USERS_PER_READ)
        await this.refresh(feeds.slice(i, i + USERS_PER_READ));
      if (Date.now() - this.lastHeartbeat >= HEARTBEAT_MS) this.beat(feeds);
    } catch (error) {
      this.log.warn(`changes could not be read: ${String(error)}`);
    }
    this.nextPollAt = Date.now() + 9 * (Date.now() - started);
  }

  /** Ends the streams of sessions that were ended or have expired. */
  private async endDead(feeds: readonly Feed[]): Promise<void> {
    const streams = feeds.flatMap((feed) => [...feed.streams]);
    const alive = await this.sessions.liveAmong([...new Set(streams.map(({ sessionId }) => sessionId))]);
    for (const stream of streams) if (!alive.has(stream.sessionId)) stream.end();
  }

  private beat(feeds: readonly Feed[]): void {
    this.lastHeartbeat = Date.now();
    for (const { streams } of feeds) for (const stream of streams) stream.comment('');
  }

  /** Reads how the things of these users stand, and tells what changed since the last time. */
  private async refresh(feeds: readonly Feed[]): Promise<void> {
    const snapshots = await this.snapshotsOf(feeds.map(({ userId }) => userId));
    const made = feeds.flatMap((feed) =>
      attemptsBetween(feed.snapshot, snapshots.get(feed.userId) as Snapshot).map((each) => ({
        feed,
        ...each,
      })),
    );
    const few = made.filter(({ after, upTo }) => upTo - after <= ATTEMPTS_TOLD_MAX);
    const attempts = few.length > 0 ? await this.payments.between(few) : [];
    const byWallet = Map.groupBy(attempts, ({ walletId }) => walletId);
    for (const feed of feeds) {
      const snapshot = snapshots.get(feed.userId) as Snapshot;
      const changes = changesBetween(feed.snapshot, snapshot);
      feed.snapshot = snapshot;
      this.tell(feed, changes);
    }
    for (const { feed, walletId, after, upTo } of made) {
      const each = upTo - after <= ATTEMPTS_TOLD_MAX ? (byWallet.get(walletId) ?? []) : null;
      this.tell(
        feed,
        each
          ? each.map(({ id }) => ({ type: 'payment', walletId, transactionId: id }))
          : [{ type: 'payment', walletId, transactionId: null }],
      );
      for (const { id } of each?.filter(({ isApproved }) => isApproved) ?? []) this.watch(feed, id, walletId);
    }
    await this.settle(feeds);
  }

  private watch(feed: Feed, id: string, walletId: string): void {
    if (feed.watched.size >= WATCHED_MAX) {
      const [oldest] = feed.watched.keys();
      if (oldest !== undefined) feed.watched.delete(oldest);
    }
    feed.watched.set(id, walletId);
  }

  /** Tells of payments under way whose settlement has ended. */
  private async settle(feeds: readonly Feed[]): Promise<void> {
    const ids = feeds.flatMap(({ watched }) => [...watched.keys()]);
    if (ids.length === 0) return;
    const statuses = await this.settlements.statusesOf(ids);
    for (const feed of feeds) {
      const ended = [...feed.watched].filter(([id]) => {
        const status = statuses.get(id);
        return status !== undefined && status !== 'pending' && status !== 'processing';
      });
      for (const [id] of ended) feed.watched.delete(id);
      this.tell(
        feed,
        ended.map(([transactionId, walletId]) => ({ type: 'payment', walletId, transactionId })),
      );
    }
  }

  private tell(feed: Feed, changes: readonly Change[]): void {
    for (const change of changes) {
      feed.count += 1;
      feed.kept.push(change);
      for (const stream of feed.streams) stream.send(`${feed.epoch}.${feed.count}`, change);
    }
    feed.kept.splice(0, Math.max(0, feed.kept.length - KEPT_MAX));
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

  /** Forgets feeds that nobody came back to, and the longest idle ones past the bound. */
  private forgetIdle(): void {
    const idle = [...this.feeds.values()]
      .filter(({ streams }) => streams.size === 0)
      .sort((a, b) => a.idleSince - b.idleSince);
    let tooMany = this.feeds.size - FEEDS_MAX + 1;
    for (const { userId, idleSince } of idle) {
      if (Date.now() - idleSince <= FEED_KEPT_MS && tooMany <= 0) break;
      this.feeds.delete(userId);
      tooMany -= 1;
    }
  }
}
