import { Injectable, Logger } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { LRUCache } from 'lru-cache';
import { AppError } from '../../kernel/errors.js';
import { growingTo } from '../../kernel/growing-to.js';
import { Config } from '../../platform/config.js';
import { databaseUnavailable } from '../../platform/database/unavailable.js';
import { overloaded } from '../../platform/batching/group-commit.js';
import { Jobs } from '../../platform/jobs/jobs.js';
import { LimitedLog } from '../../platform/observability/limited-log.js';
import { withoutRequestId } from '../../platform/observability/request-id.js';
import { RequestLimits } from './identity.port.js';
import { RequestWindowsStore } from './request-windows.store.js';

const SECOND_MS = 1_000;
const ANSWER_MS_MAX = 1_000;
const CLEAR_EVERY_MS = 60_000;
const CLEARED_AT_ONCE_MAX = 10_000;

/** Shares kept in memory; one that is dropped is taken anew. */
const SHARES_MAX = 100_000;
const WAITING_MAX = 10_000;
const SUBJECTS_PER_STATEMENT_MAX = 1_000;

/** Fractions of a limit: admitted without the database, and taken from it at once. */
const FREE_PART = 20;
const TAKEN_PART = 8;

interface Limit {
  readonly name: string;
  /** Requests a second, over all replicas; 0: any number. */
  readonly most: number;
}

/** What this process may still admit of a limit, until a moment of `performance.now()`. */
interface Share {
  left: number;
  /** Left of the limit in the database, as far as known. */
  elsewhere: number;
  isLast: boolean;
  endsAt: number;
}

interface Waiting {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

interface Asked {
  readonly limit: Limit;
  readonly those: Waiting[];
}

/**
 * Limits on requests over all replicas. One row per subject counts a second of the database's clock; a replica
 * takes an eighth of a limit at a time, in one statement for all that wait, and admits up to a tenth by
 * itself. Without an answer within {@link ANSWER_MS_MAX} it refuses.
 */
@Injectable()
export class SharedRequestLimits implements RequestLimits {
  private readonly log = new LimitedLog(new Logger(SharedRequestLimits.name));
  private readonly limits: Readonly<Record<'user' | 'key' | 'payment', Limit>>;
  private readonly shares = new LRUCache<string, Share>(growingTo(SHARES_MAX));
  private readonly waiting = new Map<string, Asked>();
  private waitingCount = 0;
  private isTaking = false;
  private isSilent = false;

  constructor(
    private readonly windows: RequestWindowsStore,
    config: Config,
    jobs: Jobs,
  ) {
    this.limits = {
      user: { name: 'user', most: config.USER_REQUESTS_PER_SECOND_MAX },
      key: { name: 'key', most: config.KEY_REQUESTS_PER_SECOND_MAX },
      payment: { name: 'payment', most: config.KEY_PAYMENTS_PER_SECOND_MAX },
    };
    jobs.every(CLEAR_EVERY_MS, () => this.windows.clearOld(CLEARED_AT_ONCE_MAX));
  }

  admit(kind: 'user' | 'key' | 'payment', id: string, reply: FastifyReply): Promise<void> | undefined {
    const limit = this.limits[kind];
    if (limit.most === 0) return undefined;
    const subject = `${kind}:${id}`;
    const share = this.shareOf(subject, limit);
    if (share.left > 0) {
      share.left -= 1;
      describe(reply, limit, share);
      return undefined;
    }
    if (share.isLast) {
      describe(reply, limit, share);
      throw refusal(limit, share);
    }
    return this.takeMore(subject, limit).then(
      () => describe(reply, limit, this.shareOf(subject, limit)),
      (error: unknown) => {
        describe(reply, limit, this.shareOf(subject, limit));
        throw error;
      },
    );
  }

  private shareOf(subject: string, { most }: Limit): Share {
    const now = performance.now();
    let share = this.shares.get(subject);
    if (!share || now >= share.endsAt) {
      const left = Math.floor(most / FREE_PART);
      share = { left, elsewhere: most - left, isLast: false, endsAt: now + SECOND_MS };
      this.shares.set(subject, share);
    }
    return share;
  }

  private takeMore(subject: string, limit: Limit): Promise<void> {
    if (this.isSilent) return Promise.reject(silent());
    if (this.waitingCount >= WAITING_MAX) return Promise.reject(overloaded());
    return new Promise((resolve, reject) => {
      const one = { resolve, reject };
      const others = this.waiting.get(subject);
      if (others) others.those.push(one);
      else this.waiting.set(subject, { limit, those: [one] });
      this.waitingCount += 1;
      if (!this.isTaking) void withoutRequestId(() => this.takeForAll());
    });
  }

  private async takeForAll(): Promise<void> {
    this.isTaking = true;
    while (this.waiting.size > 0) {
      const taken = [...this.waiting].slice(0, SUBJECTS_PER_STATEMENT_MAX);
      for (const [subject, { those }] of taken) {
        this.waiting.delete(subject);
        this.waitingCount -= those.length;
      }
      await this.take(taken);
    }
    this.isTaking = false;
  }

  private async take(asked: readonly [string, Asked][]): Promise<void> {
    const refuseAll = (error: Error): void => {
      for (const [, { those }] of asked) for (const { reject } of those) reject(error);
    };
    const overdue = setTimeout(() => {
      this.isSilent = true;
      this.log.warn('requests are refused: the database does not answer how many are left of their limits');
      refuseAll(silent());
      for (const { those } of this.waiting.values()) for (const { reject } of those) reject(silent());
      this.waiting.clear();
      this.waitingCount = 0;
    }, ANSWER_MS_MAX);
    const askedAt = performance.now();
    try {
      const answers = await this.windows.take(
        asked.map(([subject, { limit, those }]) => ({
          subject,
          most: limit.most,
          requests: Math.max(those.length, Math.floor(limit.most / TAKEN_PART)),
        })),
      );
      const bySubject = new Map(answers.map((answer) => [answer.subject, answer]));
      for (const [subject, { limit, those }] of asked) {
        const { granted = 0, taken = limit.most, msLeft = 0 } = bySubject.get(subject) ?? {};
        const held = this.shares.get(subject);
        const free = granted + (held && performance.now() < held.endsAt ? held.left : 0);
        const share: Share = {
          left: Math.max(0, free - those.length),
          elsewhere: limit.most - taken,
          isLast: taken >= limit.most,
          endsAt: askedAt + msLeft,
        };
        this.shares.set(subject, share);
        for (const { resolve } of those.slice(0, free)) resolve();
        for (const { reject } of those.slice(free)) reject(refusal(limit, share));
      }
    } catch (error) {
      this.log.error(error, 'the requests left of their limits could not be taken');
      refuseAll(silent());
    } finally {
      clearTimeout(overdue);
      this.isSilent = false;
    }
  }
}

function secondsLeft({ endsAt }: Share): number {
  return Math.max(1, Math.ceil((endsAt - performance.now()) / SECOND_MS));
}

/** As draft-ietf-httpapi-ratelimit-headers. */
function describe(reply: FastifyReply, { name, most }: Limit, share: Share): void {
  void reply
    .header('ratelimit-policy', `"${name}";q=${most};w=1`)
    .header('ratelimit', `"${name}";r=${share.left + share.elsewhere};t=${secondsLeft(share)}`);
}

function refusal({ most }: Limit, share: Share): AppError {
  const retryAfterSeconds = secondsLeft(share);
  return new AppError(
    'RATE_LIMITED',
    `At most ${most} requests a second. Try again in ${retryAfterSeconds} s.`,
    {
      retryAfterSeconds,
    },
  );
}

function silent(): AppError {
  return databaseUnavailable('Nothing was carried out: the database does not answer. Try again shortly.');
}
