import pLimit from 'p-limit';
import { isTimedOut } from '../database/failures.js';
import { overloaded } from './group-commit.js';

/** Bounded FIFO queue. If a piece fails because the database is unreachable, all that wait fail with it. */
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

  /** Throws `OVERLOADED`, without starting `work`, if the queue is full. */
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
