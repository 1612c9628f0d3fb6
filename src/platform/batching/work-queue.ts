import pLimit from 'p-limit';
import { isTimedOut } from '../database/failures.js';
import { overloaded } from './group-commit.js';

/**
 * Runs work a few pieces at a time, in the order in which it was given, behind a queue with a bound. When a piece fails as
 * the database does not answer, all that wait fail with it: each would wait for a timeout of its own, one after the other.
 */
export class WorkQueue {
  private readonly limit: ReturnType<typeof pLimit>;
  private outages = 0;
  private lastOutage: unknown;

  constructor(
    concurrency: number,
    private readonly waitingMax: number,
  ) {
    this.limit = pLimit(concurrency);
  }

  /** Answers what `work` answers. Throws `OVERLOADED`, without starting it, when too much waits already. */
  run<T>(work: () => Promise<T>): Promise<T> {
    if (this.limit.pendingCount >= this.waitingMax) return Promise.reject(overloaded());
    const { outages } = this;
    return this.limit(async () => {
      if (this.outages !== outages) throw this.lastOutage;
      try {
        return await work();
      } catch (error) {
        if (isTimedOut(error)) {
          this.outages += 1;
          this.lastOutage = error;
        }
        throw error;
      }
    });
  }
}
