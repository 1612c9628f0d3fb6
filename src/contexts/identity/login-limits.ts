import { createHash } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { WorkQueue } from '../../platform/batching/work-queue.js';
import { Config } from '../../platform/config.js';
import { isTimedOut } from '../../platform/database/failures.js';
import { Jobs } from '../../platform/jobs/jobs.js';
import { clientNetwork } from '../../platform/security/client-network.js';
import { AppError, type ErrorCode } from '../../kernel/errors.js';
import { type Counted, GuessCounters } from './guess-counter.js';
import { loginDelaySeconds } from './identity.domain.js';

const WINDOW_SECONDS = 15 * 60;
const ACCOUNT_WINDOW_SECONDS = 60 * 60;
const UNLIMITED = 2 ** 31 - 1;
/** Leaves most connections to payments. */
const COUNTING_CONCURRENCY = 3;
const COUNTING_WAITING_MAX = 1_000;
const LOGIN_CONCURRENCY = 3;
const LOGINS_WAITING_MAX = 200;
const CODE_FAILURES_MAX = 10;
const RESETS_PER_ADDRESS_MAX = 30;
const RESETS_PER_EMAIL_MAX = 5;
const RESET_WINDOW_SECONDS = 60 * 60;
const INVITATIONS_PER_ACCOUNT_MAX = 50;
const INVITATIONS_PER_EMAIL_MAX = 10;
const RECORDED_FAILURES_MAX = 20;

const WRONG: readonly ErrorCode[] = ['INVALID_CREDENTIALS', 'WRONG_PASSWORD', 'INVALID_TWO_FACTOR_CODE'];

const CLEAR_EVERY_MS = 5 * 60_000;

interface Limit {
  readonly name: string;
  readonly max: number;
  readonly windowSeconds: number;
}

/**
 * Counts for all replicas. A guess is counted first and given back unless wrong. Per e-mail and address
 * (blocks until the window ends), per address, and per e-mail (each address waits ever longer, its first try
 * never: an attacker cannot lock the owner out).
 */
@Injectable()
export class LoginLimits {
  private readonly log = new Logger(LoginLimits.name);
  private readonly counting = new WorkQueue(COUNTING_CONCURRENCY, COUNTING_WAITING_MAX);
  private readonly logins = new WorkQueue(LOGIN_CONCURRENCY, LOGINS_WAITING_MAX);
  private readonly freeFailures: number;
  private readonly byBoth: Limit;
  private readonly byAddress: Limit;
  private readonly byAccount = limit('login-account', UNLIMITED, ACCOUNT_WINDOW_SECONDS);
  private readonly pauses = limit('login-pause', 1, 1);
  private readonly signUps: Limit;
  private readonly codes = limit('code', CODE_FAILURES_MAX, WINDOW_SECONDS);
  private readonly resetsByAddress = limit('reset-address', RESETS_PER_ADDRESS_MAX, RESET_WINDOW_SECONDS);
  private readonly invitationsByAccount = limit('invite', INVITATIONS_PER_ACCOUNT_MAX, RESET_WINDOW_SECONDS);
  private readonly invitationsByEmail = limit(
    'invite-email',
    INVITATIONS_PER_EMAIL_MAX,
    RESET_WINDOW_SECONDS,
  );
  private readonly recordedFailures = limit('failure-recorded', UNLIMITED, RESET_WINDOW_SECONDS);
  private readonly resetsByEmail = limit('reset-email', UNLIMITED, RESET_WINDOW_SECONDS);

  constructor(
    private readonly counters: GuessCounters,
    config: Config,
    jobs: Jobs,
  ) {
    this.freeFailures = config.LOGIN_FAILURES_MAX;
    this.byBoth = limit('login', config.LOGIN_FAILURES_MAX, WINDOW_SECONDS);
    this.byAddress = limit('login-address', config.LOGIN_FAILURES_PER_ADDRESS_MAX, WINDOW_SECONDS);
    this.signUps = limit('signup', config.SIGNUPS_PER_MINUTE_MAX, 60);
    jobs.every(CLEAR_EVERY_MS, () => this.counters.clearExpired());
  }

  /** Throws `RATE_LIMITED`, and `OVERLOADED` if too many wait. */
  password<T>(email: string, address: string, attempt: () => Promise<T>): Promise<T> {
    return this.attempt(
      async (tries) => {
        await this.count(tries, email, clientNetwork(address)).catch((error: unknown) => {
          if (error instanceof AppError)
            this.log.warn({ address, userId: null, code: error.code }, 'login failed');
          throw error;
        });
      },
      () => this.logins.run(attempt),
    );
  }

  /** Allows ten failures in 15 minutes from any address. `onLocked` runs once, best effort. */
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
   * Throws `RATE_LIMITED` per address. False if this e-mail got its links; the caller must not reveal
   * that.
   */
  async passwordReset(email: string, address: string): Promise<boolean> {
    return this.counting.run(async () => {
      await this.tries().count(this.resetsByAddress, keyOf(clientNetwork(address)));
      return (await this.tries().count(this.resetsByEmail, keyOf(email))) <= RESETS_PER_EMAIL_MAX;
    });
  }

  async invitation(accountId: string, email: string): Promise<void> {
    await this.counting.run(async () => {
      await this.tries().count(this.invitationsByAccount, keyOf(accountId));
      await this.tries().count(this.invitationsByEmail, keyOf(email));
    });
  }

  /** True while few failed sign-ins of the user were recorded lately. */
  async isFailureRecorded(userId: string): Promise<boolean> {
    const count = await this.counting.run(() => this.tries().count(this.recordedFailures, keyOf(userId)));
    return count <= RECORDED_FAILURES_MAX;
  }

  async signUp(address: string): Promise<void> {
    const key = keyOf(clientNetwork(address));
    await this.counting.run(() => this.tries().count(this.signUps, key));
  }

  private tries(): Tries {
    return new Tries(this.counters);
  }

  private async attempt<T>(count: (tries: Tries) => Promise<unknown>, attempt: () => Promise<T>): Promise<T> {
    const tries = this.tries();
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

  /** Best effort: a failure never changes the answer. */
  private async giveBack(tries: Tries): Promise<void> {
    await this.counting
      .run(() => tries.giveBack())
      .catch((error: unknown) => this.log.warn(`the tries of a login were not given back: ${String(error)}`));
  }
}

class Tries {
  private readonly counted: Counted[] = [];

  constructor(private readonly counters: GuessCounters) {}

  async count({ name, max, windowSeconds }: Limit, key: string, seconds = windowSeconds): Promise<number> {
    const counted = await this.counters.count(`${name}:${key}`, seconds);
    this.counted.push(counted);
    if (counted.count <= max) return counted.count;
    const retryAfterSeconds = Math.max(1, Math.ceil(counted.msLeft / 1000));
    throw new AppError('RATE_LIMITED', `Too many attempts. Try again in ${retryAfterSeconds} s.`, {
      retryAfterSeconds,
    });
  }

  async giveBack(): Promise<void> {
    for (const each of this.counted.splice(0)) await this.counters.giveBack(each);
  }
}

function limit(name: string, max: number, windowSeconds: number): Limit {
  return { name, max, windowSeconds };
}

function isWrongGuess(error: unknown): boolean {
  return error instanceof AppError && WRONG.includes(error.code);
}

/** Hashes, so that nothing personal is stored. */
function keyOf(...parts: string[]): string {
  return createHash('sha256').update(parts.join(' ')).digest('base64url');
}
