import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { AppError } from '../../../kernel/errors.js';
import { growingTo } from '../../../kernel/growing-to.js';
import { Config } from '../../../platform/config.js';
import type { Tx } from '../../../platform/database/tx.js';
import type { BlockedAttemptLimits, BlockedAttempts } from './blocked-attempts.domain.js';

const MINUTE_MS = 60_000;
const KEYS_REMEMBERED_MAX = 10_000;
/** Further ahead than replicas can bring it, an `even_at` predates a clock set back and is ignored. */
const AHEAD_MS_MAX = 10 * MINUTE_MS;

/**
 * Bounds the blocked attempts stored per key: `BLOCKED_ATTEMPTS_PER_MINUTE_MAX` at once, then as many a
 * minute. Each moves the key's `even_at` ahead; a minute ahead of the clock is the limit. A replica's first
 * batch may pass it once.
 */
@Injectable()
export class BlockedAttemptsStore implements BlockedAttemptLimits {
  /** Milliseconds one blocked attempt takes of its minute. */
  private readonly stepMs: number;
  /** By key id, in milliseconds since 1970. */
  private readonly evenAt = new LRUCache<string, number>(growingTo(KEYS_REMEMBERED_MAX));

  constructor(private readonly config: Config) {
    this.stepMs = MINUTE_MS / config.BLOCKED_ATTEMPTS_PER_MINUTE_MAX;
  }

  waitMs(keyId: string, count: number, at: Date): number {
    const now = at.getTime();
    const before = this.evenAt.get(keyId) ?? 0;
    const from = before > now + AHEAD_MS_MAX ? now : Math.max(before, now);
    const evenAt = from + (count + 1) * this.stepMs;
    return Math.max(0, evenAt - now - MINUTE_MS);
  }

  refusal(waitMs: number, message: string): AppError {
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1_000));
    return new AppError(
      'RATE_LIMITED',
      `${message} Too many payments of this key were blocked: ${this.config.BLOCKED_ATTEMPTS_PER_MINUTE_MAX} a minute ` +
        `are kept. This one was not; try again in ${retryAfterSeconds} s, under the same Idempotency-Key.`,
      { retryAfterSeconds },
    );
  }

  /** The result arrives with the commit. */
  count(attempts: readonly BlockedAttempts[], tx: Tx): void {
    if (attempts.length === 0) return;
    const counted = tx.query<{ keyId: string; evenAt: Date }>(
      `INSERT INTO blocked_attempt_limits (wallet_id, key_id, even_at)
       SELECT a.wallet_id, a.key_id, CASE WHEN l.even_at > a.at + ${AHEAD_MS_MAX} * interval '1 ms' THEN a.at
                                          ELSE greatest(l.even_at, a.at) END + a.ms * interval '1 ms'
         FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::float8[]) AS a (wallet_id, key_id, at, ms)
         LEFT JOIN blocked_attempt_limits l ON l.wallet_id = a.wallet_id AND l.key_id = a.key_id
       ON CONFLICT (wallet_id, key_id) DO UPDATE SET even_at = excluded.even_at
       RETURNING key_id AS "keyId", even_at AS "evenAt"`,
      [
        attempts.map(({ walletId }) => walletId),
        attempts.map(({ keyId }) => keyId),
        attempts.map(({ at }) => at),
        attempts.map(({ count }) => count * this.stepMs),
      ],
    );
    counted.catch(() => undefined);
    tx.afterCommit(() => {
      void counted.then((rows) =>
        rows.forEach(({ keyId, evenAt }) => this.evenAt.set(keyId, evenAt.getTime())),
      );
    });
  }
}
