import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Jobs } from '../../../platform/jobs/jobs.js';

const FLUSH_MS = 10_000;
/** Keys whose use is remembered between two writes; past it the first ones seen are forgotten. */
const KEYS_MAX = 10_000;

/** When keys were last used: remembered here, and written now and then, so that no payment writes it. */
@Injectable()
export class KeyUsageStore implements BeforeApplicationShutdown {
  private usedAt = new Map<string, Date>();

  constructor(
    private readonly database: Database,
    jobs: Jobs,
  ) {
    jobs.every(FLUSH_MS, () => this.flush());
  }

  /** `at` is a time of the database's clock. */
  touch(keyHash: Buffer, at: Date): void {
    const hash = keyHash.toString('latin1');
    if (this.usedAt.size >= KEYS_MAX && !this.usedAt.has(hash)) {
      const [first] = this.usedAt.keys();
      if (first !== undefined) this.usedAt.delete(first);
    }
    this.usedAt.set(hash, at);
  }

  /** Writes what was remembered; a write that fails loses it. */
  async flush(): Promise<void> {
    if (this.usedAt.size === 0) return;
    const used = [...this.usedAt];
    this.usedAt = new Map();
    await this.database.query(
      `UPDATE api_keys k SET last_used_at = greatest(k.last_used_at, u.at)
         FROM unnest($1::bytea[], $2::timestamptz[]) AS u (hash, at) WHERE k.hash = u.hash`,
      [used.map(([hash]) => Buffer.from(hash, 'latin1')), used.map(([, at]) => at)],
    );
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.flush();
  }
}
