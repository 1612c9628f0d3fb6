import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { AppError } from '../../kernel/errors.js';
import { LimitedLog } from '../../platform/observability/limited-log.js';
import { RecurringTask } from '../../platform/jobs/recurring-task.js';
import { Sessions, type SessionUser } from '../identity/identity.port.js';
import { EventStream } from './event-stream.js';
import { FeedReader } from './feed-reader.service.js';
import type { Feed } from './feed.js';
import { pauseAfterRead, type StreamHolder, streamToEnd } from './live-updates.domain.js';

const POLL_MS = 500;
const HEARTBEAT_MS = 15_000;
const STREAMS_PER_USER_MAX = 20;
const DISPLACED_RETRY_MS = 30_000;
const FEED_KEPT_MS = 5 * 60_000;
const FEEDS_MAX = 2_000;
const USERS_PER_READ = 200;

/**
 * Sends users their changes. Polls small counters every {@link POLL_MS}: no work for the payment path, and
 * all replicas are seen.
 */
@Injectable()
export class LiveUpdatesService implements OnModuleDestroy {
  private readonly log = new LimitedLog(new Logger(LiveUpdatesService.name));
  private readonly feeds = new Map<string, Feed>();
  private readonly opening = new Map<string, Promise<Feed>>();
  private readonly poll = new RecurringTask(POLL_MS, () => this.pollOnce());
  private readonly openStreams = new Map<EventStream, StreamHolder>();
  private readonly streamsOf = new Map<string, number>();
  private nextPollAt = 0;
  private isPolling = false;
  private isStopping = false;
  private lastHeartbeat = performance.now();

  constructor(
    private readonly reader: FeedReader,
    private readonly sessions: Sessions,
    private readonly streamsMax: number,
  ) {}

  /**
   * Opens a stream for a session, and ends it with the session. See {@link Feed.join} and {@link streamToEnd}. Throws
   * `RATE_LIMITED` and `OVERLOADED`.
   */
  async open(
    { userId, accountId, sessionId }: SessionUser,
    lastEventId: string | undefined,
    network: string,
  ): Promise<EventStream> {
    this.assertNotStopping();
    const ofUser = this.streamsOf.get(userId) ?? 0;
    if (ofUser >= STREAMS_PER_USER_MAX) {
      throw new AppError('RATE_LIMITED', `At most ${STREAMS_PER_USER_MAX} streams of one user can be open.`, {
        retryAfterSeconds: 30,
      });
    }
    const holder = { userId, network };
    if (this.openStreams.size >= this.streamsMax) this.makeRoomFor(holder);
    const stream = new EventStream(sessionId, () => this.close(userId, accountId, stream));
    // Before any await, so that concurrent requests meet the bounds.
    this.openStreams.set(stream, holder);
    this.streamsOf.set(userId, ofUser + 1);
    try {
      const feed = await this.feedOf(accountId);
      this.assertNotStopping();
      if (stream.isClosed) return stream;
      this.feeds.set(accountId, feed);
      feed.join(stream, lastEventId);
      this.startPolling();
      return stream;
    } catch (error) {
      stream.end();
      throw error;
    }
  }

  get openCount(): number {
    return this.openStreams.size;
  }

  onModuleDestroy(): Promise<void> {
    this.isStopping = true;
    for (const { streams } of this.feeds.values()) for (const stream of streams) stream.end();
    return this.poll.stop();
  }

  private makeRoomFor(newcomer: StreamHolder): void {
    const [stream] = streamToEnd([...this.openStreams], newcomer) ?? [];
    if (!stream) {
      throw new AppError('OVERLOADED', 'Too many streams are open. Ask again from time to time instead.', {
        retryAfterSeconds: 30,
      });
    }
    stream.end(DISPLACED_RETRY_MS);
  }

  private assertNotStopping(): void {
    if (!this.isStopping) return;
    throw new AppError('SHUTTING_DOWN', 'The service is stopping.', { retryAfterSeconds: 5 });
  }

  private async feedOf(accountId: string): Promise<Feed> {
    const known = this.feeds.get(accountId);
    if (known && known.streams.size > 0) return known;
    const opening =
      this.opening.get(accountId) ??
      (known ? this.reader.refresh([known]).then(() => known) : this.newFeed(accountId)).finally(() =>
        this.opening.delete(accountId),
      );
    this.opening.set(accountId, opening);
    return opening;
  }

  private async newFeed(accountId: string): Promise<Feed> {
    const feed = await this.reader.begin(accountId);
    this.forgetIdle();
    this.feeds.set(accountId, feed);
    return feed;
  }

  private close(userId: string, accountId: string, stream: EventStream): void {
    this.openStreams.delete(stream);
    const left = (this.streamsOf.get(userId) ?? 1) - 1;
    if (left > 0) this.streamsOf.set(userId, left);
    else this.streamsOf.delete(userId);
    this.feeds.get(accountId)?.leave(stream);
    if (this.openStreams.size === 0) {
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
    const started = performance.now();
    if (started < this.nextPollAt) return;
    try {
      const feeds = [...this.feeds.values()].filter(({ streams }) => streams.size > 0);
      await this.endExpired(feeds);
      for (let i = 0; i < feeds.length; i += USERS_PER_READ)
        await this.reader.refresh(feeds.slice(i, i + USERS_PER_READ));
      if (performance.now() - this.lastHeartbeat >= HEARTBEAT_MS) this.beat(feeds);
    } catch (error) {
      this.log.warn(`changes could not be read: ${String(error)}`);
    }
    const ended = performance.now();
    this.nextPollAt = ended + pauseAfterRead(ended - started);
  }

  private async endExpired(feeds: readonly Feed[]): Promise<void> {
    const streams = feeds.flatMap((feed) => [...feed.streams]);
    const alive = await this.sessions.liveAmong([...new Set(streams.map(({ sessionId }) => sessionId))]);
    for (const stream of streams) if (!alive.has(stream.sessionId)) stream.end();
  }

  private beat(feeds: readonly Feed[]): void {
    this.lastHeartbeat = performance.now();
    for (const { streams } of feeds) for (const stream of streams) stream.beat();
  }

  private forgetIdle(): void {
    const idle = [...this.feeds.values()]
      .filter(({ streams }) => streams.size === 0)
      .sort((a, b) => a.idleSince - b.idleSince);
    let tooMany = this.feeds.size - FEEDS_MAX + 1;
    for (const { accountId, idleSince } of idle) {
      if (performance.now() - idleSince <= FEED_KEPT_MS && tooMany <= 0) break;
      this.feeds.delete(accountId);
      tooMany -= 1;
    }
  }
}
