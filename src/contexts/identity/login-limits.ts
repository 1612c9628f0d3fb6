import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { Config } from '../../platform/config.js';
import { Database } from '../../platform/database/database.js';
import { AppError } from '../../kernel/errors.js';

const FAILURE_WINDOW_SECONDS = 15 * 60;

/**
 * Rate limits of sign-up and login, counted in the database, so that replicas share them.
 * Only failed logins count, per e-mail and address together: nobody can lock somebody else out.
 */
@Injectable()
export class LoginLimits {
  private readonly failures: RateLimiterPostgres;
  private readonly signUps: RateLimiterPostgres;

  constructor(database: Database, config: Config) {
    const storage = {
      storeClient: database.source,
      storeType: 'typeorm',
      tableName: 'rate_limits',
      tableCreated: true,
    };
    this.failures = new RateLimiterPostgres({
      ...storage,
      keyPrefix: 'login',
      points: config.LOGIN_FAILURES_MAX,
      duration: FAILURE_WINDOW_SECONDS,
    });
    this.signUps = new RateLimiterPostgres({
      ...storage,
      keyPrefix: 'signup',
      points: config.SIGNUPS_PER_MINUTE_MAX,
      duration: 60,
    });
  }

  /** Runs a login unless it failed too often lately; throws `RATE_LIMITED` then. */
  async login<T>(email: string, address: string, attempt: () => Promise<T>): Promise<T> {
    const key = createHash('sha256').update(`${address} ${email}`).digest('base64url');
    const failed = await this.failures.get(key);
    if (failed && failed.consumedPoints >= this.failures.points) throw tooMany(failed);
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof AppError && error.code === 'INVALID_CREDENTIALS') {
        await this.failures.consume(key).catch(() => undefined);
      }
      throw error;
    }
  }

  /** Counts a sign-up; throws `RATE_LIMITED` past the limit. */
  async signUp(address: string): Promise<void> {
    await this.signUps.consume(address).catch((reason: unknown) => {
      throw reason instanceof RateLimiterRes ? tooMany(reason) : reason;
    });
  }
}

function tooMany({ msBeforeNext }: RateLimiterRes): AppError {
  const retryAfterSeconds = Math.max(1, Math.ceil(msBeforeNext / 1000));
  return new AppError('RATE_LIMITED', `Too many attempts. Try again in ${retryAfterSeconds} s.`, {
    retryAfterSeconds,
  });
}
