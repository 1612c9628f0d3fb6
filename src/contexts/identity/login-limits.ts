import { createHash } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import type { QueryConfig } from 'pg';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { WorkQueue } from '../../platform/batching/work-queue.js';
import { Config } from '../../platform/config.js';
import { Database } from '../../platform/database/database.js';
import { isTimedOut } from '../../platform/database/failures.js';
import { clientNetwork } from '../../platform/security/client-network.js';
import { AppError, type ErrorCode } from '../../kernel/errors.js';
import { loginDelaySeconds } from './identity.domain.js';

const WINDOW_SECONDS = 15 * 60;
const ACCOUNT_WINDOW_SECONDS = 60 * 60;
const UNLIMITED = 2 ** 31 - 1;
/** However many want to log in, they take a few connections, and payments keep the rest. */
const COUNTING_CONCURRENCY = 3;
const COUNTING_WAITING_MAX = 1_000;
const LOGIN_CONCURRENCY = 3;
const LOGINS_WAITING_MAX = 200;
const CODE_FAILURES_MAX = 10;
const RESETS_PER_ADDRESS_MAX = 30;
const RESETS_PER_EMAIL_MAX = 5;
const RESET_WINDOW_SECONDS = 60 * 60;

/** What a wrong guess is answered with: it alone is not given back. */
const WRONG: readonly ErrorCode[] = ['INVALID_CREDENTIALS', 'WRONG_PASSWORD', 'INVALID_TWO_FACTOR_CODE'];

/**
 * Takes back what was counted, in the window that it was counted in alone: a later one ends later than `$2`. Not the
 * library's `reward`: that subtracts from whatever window there is, or begins one below zero.
 */
const GIVE_BACK = {
  name: 'rate-limits-give-back',
  text: 'UPDATE rate_limits SET points = points - 1 WHERE key = $1 AND expire <= $2 AND points > 0',
};

/**
 * Limits of sign-up, login and what else guesses at secrets, counted in the database, so that replicas share them. A
 * guess at a password is counted before it is looked at, and given back unless it was wrong. Three counters bound them:
 *
 * - per e-mail and address: past the limit this address can't try this e-mail until the window ends;
 * - per address, whatever the e-mails;
 * - per e-mail, from all addresses: past the limit each address must wait between two tries, longer and longer. The
 *   first try from an address never waits, so that an attacker can't lock the owner out.
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
  private readonly codes: RateLimiterPostgres;
  private readonly resetsByAddress: RateLimiterPostgres;
  private readonly resetsByEmail: RateLimiterPostgres;

  constructor(
    private readonly database: Database,
    config: Config,
  ) {
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
    this.codes = limiter('code', CODE_FAILURES_MAX, WINDOW_SECONDS);
    this.resetsByAddress = limiter('reset-address', RESETS_PER_ADDRESS_MAX, RESET_WINDOW_SECONDS);
    this.resetsByEmail = limiter('reset-email', RESETS_PER_EMAIL_MAX, RESET_WINDOW_SECONDS);
  }

  /**
   * Runs an attempt at the password of `email` unless too many failed before: throws `RATE_LIMITED` then, and
   * `OVERLOADED` when too many wait.
   */
  password<T>(email: string, address: string, attempt: () => Promise<T>): Promise<T> {
    return this.attempt(
      (tries) => this.count(tries, email, clientNetwork(address)),
      () => this.logins.run(attempt),
    );
  }

  /**
   * Runs an attempt at the second factor of a user unless ten failed in the last 15 minutes, from whatever address: six
   * digits are soon guessed from many addresses at once, by an attacker that has the password or a session. `onLocked`
   * runs once, at the last wrong guess; that it fails changes nothing.
   */
  secondFactor<T>(userId: string, attempt: () => Promise<T>, onLocked: () => Promise<unknown>): Promise<T> {
    let guesses = 0;
    return this.attempt(
      async (tries) => {
        guesses = await tries.count(this.codes, keyOf(userId));
      },
      async () => {
        try {
          return await attempt();
        } catch (error) {
          if (isWrongGuess(error) && guesses === CODE_FAILURES_MAX) {
            await onLocked().catch((reason: unknown) =>
              this.log.warn(`the owner of a locked second factor was not told: ${String(reason)}`),
            );
          }
          throw error;
        }
      },
    );
  }

  /**
   * Counts a request for a reset: throws `RATE_LIMITED` for an address that asks too often. False when this e-mail has
   * had its links: the caller must not say so, as the request need not come from the e-mail's owner.
   */
  async passwordReset(email: string, address: string): Promise<boolean> {
    return this.counting.run(async () => {
      await new Tries().count(this.resetsByAddress, keyOf(clientNetwork(address)));
      const { consumedPoints } = await this.resetsByEmail.penalty(keyOf(email));
      return consumedPoints <= RESETS_PER_EMAIL_MAX;
    });
  }

  /** Counts a sign-up; throws `RATE_LIMITED` past the limit. */
  async signUp(address: string): Promise<void> {
    const key = keyOf(clientNetwork(address));
    await this.counting.run(() => new Tries().count(this.signUps, key));
  }

  private async attempt<T>(count: (tries: Tries) => Promise<unknown>, attempt: () => Promise<T>): Promise<T> {
    const tries = new Tries();
    let isWrong = false;
    let isTimeout = false;
    try {
      await this.counting.run(() => count(tries));
      return await attempt();
    } catch (error) {
      isWrong = isWrongGuess(error);
      isTimeout = isTimedOut(error);
      throw error;
    } finally {
      const givenBack = isWrong ? undefined : this.giveBack(tries);
      // Else it would wait for the database a second time.
      if (!isTimeout) await givenBack;
    }
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
      .run(() => tries.giveBack(this.database))
      .catch((error: unknown) => this.log.warn(`the tries of a login were not given back: ${String(error)}`));
  }
}

/** What one request counted, so that it can be given back. */
class Tries {
  private readonly counted: { readonly key: string; readonly windowEnd: number }[] = [];

  /** Counts one, and answers how many there are now. Throws `RATE_LIMITED` past the limit. */
  async count(limiter: RateLimiterPostgres, key: string, seconds?: number): Promise<number> {
    const options = seconds === undefined ? {} : { customDuration: seconds };
    try {
      const result = await limiter.consume(key, 1, options);
      this.add(limiter.getKey(key), result);
      return result.consumedPoints;
    } catch (reason) {
      if (!(reason instanceof RateLimiterRes)) throw reason;
      // Given back too: otherwise the refused would fill the places of right guesses that are still under way.
      this.add(limiter.getKey(key), reason);
      const retryAfterSeconds = Math.max(1, Math.ceil(reason.msBeforeNext / 1000));
      throw new AppError('RATE_LIMITED', `Too many attempts. Try again in ${retryAfterSeconds} s.`, {
        retryAfterSeconds,
      });
    }
  }

  async giveBack(database: Database): Promise<void> {
    for (const { key, windowEnd } of this.counted.splice(0)) {
      await database.pool.query({ ...GIVE_BACK, values: [key, windowEnd] });
    }
  }

  /**
   * The library has just taken `msBeforeNext` from the stored end by this clock: adding the two yields that end, or a
   * moment after it. The next window ends a second later at least. Of a window that is over nothing is to be given back.
   */
  private add(key: string, { msBeforeNext }: RateLimiterRes): void {
    if (msBeforeNext > 0) this.counted.push({ key, windowEnd: Date.now() + msBeforeNext });
  }
}

function isWrongGuess(error: unknown): boolean {
  return error instanceof AppError && WRONG.includes(error.code);
}

/** Addresses and e-mails are counted without being kept. */
function keyOf(...parts: string[]): string {
  return createHash('sha256').update(parts.join(' ')).digest('base64url');
}
