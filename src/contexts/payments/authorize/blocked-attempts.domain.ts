import type { AppError } from '../../../kernel/errors.js';

export interface BlockedAttempts {
  readonly walletId: string;
  readonly keyId: string;
  readonly count: number;
  readonly at: Date;
}

export interface BlockedAttemptLimits {
  /** Milliseconds until one more is stored, after `count` others of this batch; 0: now. */
  waitMs(keyId: string, count: number, at: Date): number;
  refusal(waitMs: number, message: string): AppError;
}
