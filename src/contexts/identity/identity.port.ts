import { AppError } from '../../kernel/errors.js';

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

/** The second factor, which is asked for again before what moves money or weakens what protects it. */
export abstract class TwoFactor {
  /**
   * Passes when the user has no second factor, or when `code` is right; a right code is used up. Throws
   * `TWO_FACTOR_REQUIRED` without a code, `INVALID_TWO_FACTOR_CODE`, and `RATE_LIMITED` after too many wrong ones.
   */
  abstract verify(userId: string, code: string | undefined): Promise<void>;

  /**
   * Whether this session may do what asks for the second factor: its user has none, `code` is right, or the session
   * gave one within the last {@link STEP_UP_MINUTES}. A right code is used up and starts these minutes anew. Throws
   * `INVALID_TWO_FACTOR_CODE`, and `RATE_LIMITED` after too many wrong ones.
   */
  abstract stepUp(session: SessionUser, code: string | undefined): Promise<boolean>;
}

/** How long a session need not give its second factor again. */
export const STEP_UP_MINUTES = 10;

export function secondFactorRequired(): AppError {
  return new AppError('TWO_FACTOR_REQUIRED', 'Send a code of your authenticator app, or a recovery code.');
}
