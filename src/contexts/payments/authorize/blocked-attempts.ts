import type { AppError } from '../../../kernel/errors.js';

/** Blocked attempts of one key that are stored together. */
export interface BlockedAttempts {
  readonly walletId: string;
  readonly keyId: string;
  readonly count: number;
  /** The time of their decisions. */
  readonly at: Date;
}

/** Bounds how many blocked attempts of one key are stored. */
export interface BlockedAttemptLimits {
  /** How long until one more is stored, after `count` others of this batch, in milliseconds; 0: now. */
  waitMs(keyId: string, count: number, at: Date): number;
  /** The answer to an attempt past the limit, which would be blocked for what `message` says. */
  refusal(waitMs: number, message: string): AppError;
}
