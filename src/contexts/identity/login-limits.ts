import { createHash } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import type { QueryConfig } from 'pg';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { WorkQueue } from '../../platform/batching/work-queue.js';
import { Config } from '../../platform/config.js';
import { Database } from '../../platform/database/database.js';
import { clientNetwork } from '../../platform/security/client-network.js';
import { AppError } from '../../kernel/errors.js';
import { loginDelaySeconds } from './identity.domain.js';

const WINDOW_SECONDS = 15 * 60;
const ACCOUNT_WINDOW_SECONDS = 60 * 60;
const UNLIMITED = 2 ** 31 - 1;
/** However many want to log in, they take a few connections, and payments keep the rest. */
const COUNTING_CONCURRENCY = 3;
const COUNTING_WAITING_MAX = 1_000;
const LOGIN_CONCURRENCY = 3;
const LOGINS_WAITING_MAX = 200;

/**
 * Limits of sign-up and login, counted in the database, so that replicas share them. A login is counted before its
 * password is looked at, and given back unless the password was wrong. Three counters bound wrong ones:
 *
 * - per e-mail and address: past the limit this address can't try this e-mail until the window ends;
 * - per address, whatever the e-mails;
 * - per e-mail, from all addresses: past the limit each address must wait between two tries, longer and longer. The
 *   first try from an address never waits, so that nobody can lock the owner out.
 */
@Injectable()
export class LoginLimits {
  private readonly log = new Logger(LoginLimits.name);
  private readonly counting = new WorkQueue(COUNTING_CONCURRENCY, COUNTING_WAITING_MAX);
  private readonly logins = new WorkQueue(LOGIN_CONCURRENCY, LOGINS_WAITING_MAX);
  private readonly freeFailures: number;
  private readonly byBoth: RateLimiterPostgres;
  private readonly byAddress: RateLimiterPostgres;
  private readonly byAccount: RateLimiterPostgres;
  private readonly pauses: RateLimiterPostgres;
  private readonly signUps: RateLimiterPostgres;

  constructor(database: Database, config: Config) {
    const limiter = (keyPrefix: string, points: number, duration: number) =>
      new RateLimiterPostgres({
        // The pool exists once the database is connected, which is after this is made.
        storeClient: { query: (query: QueryConfig) => database.pool.query(query) },
        storeType: 'pool',
        tableName: 'rate_limits',
        tableCreated: true,
        // The table is one for all: one of them clears it.
        clearExpiredByTimeout: keyPrefix === 'login',
        keyPrefix,
        points,
        duration,
      });
    this.freeFailures = config.LOGIN_FAILURES_MAX;
    this.byBoth = limiter('login', config.LOGIN_FAILURES_MAX, WINDOW_SECONDS);
    this.byAddress = limiter('login-address', config.LOGIN_FAILURES_PER_ADDRESS_MAX, WINDOW_SECONDS);
    this.byAccount = limiter('login-account', UNLIMITED, ACCOUNT_WINDOW_SECONDS);
    this.pauses = limiter('login-pause', 1, 1);
    this.signUps = limiter('signup', config.SIGNUPS_PER_MINUTE_MAX, 60);
  }

  /** Runs a login unless too many failed before: throws `RATE_LIMITED` then, and `OVERLOADED` when too many wait. */
  async login<T>(email: string, address: string, attempt: () => Promise<T>): Promise<T> {
    const tries = new Tries();
    let isWrong = false;
    try {
      await this.counting.run(() => this.count(tries, email, clientNetwork(address)));
      return await this.logins.run(attempt);
    } catch (error) {
      isWrong = error instanceof AppError && error.code === 'INVALID_CREDENTIALS';
      throw error;
    } finally {
      if (!isWrong) await this.giveBack(tries);
    }
  }

  /** Counts a sign-up; throws `RATE_LIMITED` past the limit. */
  async signUp(address: string): Promise<void> {
    const key = keyOf(clientNetwork(address));
    await this.counting.run(() => new Tries().count(this.signUps, key));
  }

  private async count(tries: Tries, email: string, network: string): Promise<void> {
    const both = keyOf(network, email);
    await tries.count(this.byBoth, both);
    await tries.count(this.byAddress, keyOf(network));
    const failures = (await tries.count(this.byAccount, keyOf(email))) - 1;
    const delay = loginDelaySeconds(failures, this.freeFailures);
    if (delay > 0) await tries.count(this.pauses, both, delay);
  }

  /** A login is answered as it went, also when its tries can't be given back. */
  private async giveBack(tries: Tries): Promise<void> {
    await this.counting
      .run(() => tries.giveBack())
      .catch((error: unknown) => this.log.warn(`the tries of a login were not given back: ${String(error)}`));
  }
}

/** What one request counted, so that it can be given back. */
class Tries {
  private readonly counted: (() => Promise<unknown>)[] = [];

  /** Counts one, and answers how many there are now. Throws `RATE_LIMITED` past the limit. */
  async count(limiter: RateLimiterPostgres, key: string, seconds?: number): Promise<number> {
    try {
      const options = seconds === undefined ? {} : { customDuration: seconds };
      const { consumedPoints } = await limiter.consume(key, 1, options);
      this.counted.push(() => limiter.reward(key));
      return consumedPoints;
    } catch (reason) {
      if (!(reason instanceof RateLimiterRes)) throw reason;
      this.counted.push(() => limiter.reward(key));
      const retryAfterSeconds = Math.max(1, Math.ceil(reason.msBeforeNext / 1000));
      throw new AppError('RATE_LIMITED', `Too many attempts. Try again in ${retryAfterSeconds} s.`, {
        retryAfterSeconds,
      });
    }
  }

  async giveBack(): Promise<void> {
    for (const giveBack of this.counted.splice(0)) await giveBack();
  }
}

/** Addresses and e-mails are counted without being kept. */
function keyOf(...parts: string[]): string {
  return createHash('sha256').update(parts.join(' ')).digest('base64url');
}
