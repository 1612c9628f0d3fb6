export type AccountType = 'developer' | 'business';

/** Who sent a request that carries a session token. */
export interface SessionUser {
  readonly userId: string;
  readonly sessionId: string;
  readonly isOperator: boolean;
}

/** What others may ask of users. */
export abstract class Users {
  /** Whether the user is there: an account that was deleted is not. */
  abstract exists(userId: string): Promise<boolean>;
  /** Where the user is written to, also as the holder of a bank account. Throws an Error for one who is not there. */
  abstract emailOf(userId: string): Promise<string>;
}

/** The sessions, as others may ask of them. */
export abstract class Sessions {
  /** Those of these sessions that live: not ended, not expired. */
  abstract liveAmong(sessionIds: readonly string[]): Promise<ReadonlySet<string>>;
}

/** The second factor, which is asked for again before what is hard to take back. */
export abstract class TwoFactor {
  /**
   * Passes when the user has no second factor, or when `code` is right; a right code is used up. Throws
   * `TWO_FACTOR_REQUIRED` without a code, `INVALID_TWO_FACTOR_CODE`, and `RATE_LIMITED` after too many wrong ones.
   */
  abstract verify(userId: string, code: string | undefined): Promise<void>;
}
