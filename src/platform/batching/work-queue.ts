import pLimit from 'p-limit';
import { overloaded } from './group-commit.js';

/** Runs work a few pieces at a time, in the order in which it was given, behind a queue with a bound. */
export class WorkQueue {
  private readonly limit: ReturnType<typeof pLimit>;

  constructor(
    concurrency: number,
    private readonly waitingMax: number,
  ) {
    this.limit = pLimit(concurrency);
  }

  /** Answers what `work` answers. Throws `OVERLOADED`, without starting it, when too much waits already. */
  run<T>(work: () => Promise<T>): Promise<T> {
    if (this.limit.pendingCount >= this.waitingMax) return Promise.reject(overloaded());
    return this.limit(work);
  }
}
