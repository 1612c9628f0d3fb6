import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { AppError } from '../../kernel/errors.js';
import { LimitedLog } from '../../platform/observability/limited-log.js';
import { RecurringTask } from '../../platform/jobs/recurring-task.js';
import { Sessions, type SessionUser } from '../identity/identity.port.js';
import { EventStream } from './event-stream.js';
import { FeedReader } from './feed-reader.service.js';
import type { Feed } from './feed.js';
import { pauseAfterRead, type StreamHolder, streamToEnd } from './live-updates.domain.js';

/** How often changes are looked for, in milliseconds: a change is told within a second. */
const POLL_MS = 500;
/** How often a stream without news says that it lives. */
const HEARTBEAT_MS = 15_000;
/** Streams that one user may have open at once. */
const STREAMS_PER_USER_MAX = 20;
/** How soon the client comes back whose stream made room for another's, in milliseconds. */
const DISPLACED_RETRY_MS = 30_000;
/** How long a user's feed is kept after the last stream of it closed. */
const FEED_KEPT_MS = 5 * 60_000;
/** Past so many feeds, the longest idle ones are forgotten sooner. */
const FEEDS_MAX = 2_000;
/** Users whose things are read by one statement. */
const USERS_PER_READ = 200;

/**
 * Tells users what of theirs changed. The database is asked, not the payment path: while streams are open, one small
 * read of their users' running numbers every {@link POLL_MS} says what changed on whichever replica. Without open
 * streams nothing is read at all.
 */
@Injectable()
export class LiveUpdatesService implements OnModuleDestroy {
  private readonly log = new LimitedLog(new Logger(LiveUpdatesService.name));
  private readonly feeds = new Map<string, Feed>();
  private readonly opening = new Map<string, Promise<Feed>>();
  private readonly poll = new RecurringTask(POLL_MS, () => this.pollOnce());
  /** In the order in which they were opened. */
  private readonly openStreams = new Map<EventStream, StreamHolder>();
  private readonly streamsOf = new Map<string, number>();
  /** Not before: see {@link pauseAfterRead}. */
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
   * Opens a stream for the user of a session. With the id of the last event that was received, the stream goes on right
   * behind it where this process remembers; else it begins with `ready`, on which all that is shown is to be read
   * again. It ends with the session. Where no more streams may be open, one of whoever has most makes room: see
   * {@link streamToEnd}. Throws `RATE_LIMITED` and `OVERLOADED` when there are too many streams.
   */
  async open(
    { userId, sessionId }: SessionUser,
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
    const stream = new EventStream(sessionId, () => this.close(userId, stream));
    // Counted before anything is waited for, so that many at once find the bounds too.
    this.openStreams.set(stream, holder);
    this.streamsOf.set(userId, ofUser + 1);
    try {
      const feed = await this.feedOf(userId);
      // Those that were open were ended meanwhile: this one would keep the service from its end.
      this.assertNotStopping();
      if (stream.isClosed) return stream;
      this.feeds.set(userId, feed);
      feed.join(stream, lastEventId);
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

  /** The user's feed as it stands now: what changed while no stream was open is in it. */
  private async feedOf(userId: string): Promise<Feed> {
    const known = this.feeds.get(userId);
    if (known && known.streams.size > 0) return known;
    const opening =
      this.opening.get(userId) ??
      (known ? this.reader.refresh([known]).then(() => known) : this.newFeed(userId)).finally(() =>
        this.opening.delete(userId),
      );
    this.opening.set(userId, opening);
    return opening;
  }

  private async newFeed(userId: string): Promise<Feed> {
    const feed = await this.reader.begin(userId);
    this.forgetIdle();
    this.feeds.set(userId, feed);
    return feed;
  }

  private close(userId: string, stream: EventStream): void {
    this.openStreams.delete(stream);
    const left = (this.streamsOf.get(userId) ?? 1) - 1;
    if (left > 0) this.streamsOf.set(userId, left);
    else this.streamsOf.delete(userId);
    this.feeds.get(userId)?.leave(stream);
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
      await this.endDead(feeds);
      for (let i = 0; i < feeds.length; i += USERS_PER_READ)
        await this.reader.refresh(feeds.slice(i, i + USERS_PER_READ));
      if (performance.now() - this.lastHeartbeat >= HEARTBEAT_MS) this.beat(feeds);
    } catch (error) {
      this.log.warn(`changes could not be read: ${String(error)}`);
    }
    const ended = performance.now();
    this.nextPollAt = ended + pauseAfterRead(ended - started);
  }

  /** Ends the streams of sessions that were ended or have expired. */
  private async endDead(feeds: readonly Feed[]): Promise<void> {
    const streams = feeds.flatMap((feed) => [...feed.streams]);
    const alive = await this.sessions.liveAmong([...new Set(streams.map(({ sessionId }) => sessionId))]);
    for (const stream of streams) if (!alive.has(stream.sessionId)) stream.end();
  }

  private beat(feeds: readonly Feed[]): void {
    this.lastHeartbeat = performance.now();
    for (const { streams } of feeds) for (const stream of streams) stream.beat();
  }

  /** Forgets feeds without a stream that are kept long enough, and the longest idle ones past the bound. */
  private forgetIdle(): void {
    const idle = [...this.feeds.values()]
      .filter(({ streams }) => streams.size === 0)
      .sort((a, b) => a.idleSince - b.idleSince);
    let tooMany = this.feeds.size - FEEDS_MAX + 1;
    for (const { userId, idleSince } of idle) {
      if (performance.now() - idleSince <= FEED_KEPT_MS && tooMany <= 0) break;
      this.feeds.delete(userId);
      tooMany -= 1;
    }
  }
}
