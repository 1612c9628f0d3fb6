import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Jobs } from '../../../platform/jobs/jobs.js';
import type { RecurringTask } from '../../../platform/jobs/recurring-task.js';
import { type KeyHash, keyHashBytes } from '../wallet.port.js';

/** Latest flush after a use, in milliseconds. */
const FLUSH_MS_MAX = 10_000;
/** Earliest flush, in milliseconds. */
const FLUSH_MS_MIN = 500;
/** Milliseconds a written key: at most 40 rows a second. */
const FLUSH_MS_PER_KEY = 25;
/** Past it the first ones are forgotten. */
const KEYS_MAX = 10_000;

/** Buffers when keys were last used, so that no payment writes it. */
@Injectable()
export class KeyUsageStore implements BeforeApplicationShutdown {
  private usedAt = new Map<KeyHash, Date>();
  private readonly flushing: RecurringTask;
  private flushMs = FLUSH_MS_MIN;

  constructor(
    private readonly database: Database,
    jobs: Jobs,
  ) {
    this.flushing = jobs.every(FLUSH_MS_MAX, () => this.flush());
  }

  /** `at` is of the database's clock. */
  touch(keyHash: KeyHash, at: Date): void {
    if (this.usedAt.size >= KEYS_MAX && !this.usedAt.has(keyHash)) {
      const [first] = this.usedAt.keys();
      if (first !== undefined) this.usedAt.delete(first);
    }
    this.usedAt.set(keyHash, at);
    this.flushing.triggerWithin(this.flushMs);
  }

  /** A failed write loses its values. */
  async flush(): Promise<void> {
    if (this.usedAt.size === 0) return;
    const used = [...this.usedAt];
    this.usedAt = new Map();
    this.flushMs = Math.min(FLUSH_MS_MAX, Math.max(FLUSH_MS_MIN, used.length * FLUSH_MS_PER_KEY));
    await this.database.query(
      `UPDATE api_keys k SET last_used_at = greatest(k.last_used_at, u.at)
         FROM unnest($1::bytea[], $2::timestamptz[]) AS u (hash, at) WHERE k.hash = u.hash`,
      [used.map(([keyHash]) => keyHashBytes(keyHash)), used.map(([, at]) => at)],
    );
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.flush();
  }
}
