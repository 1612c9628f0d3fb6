export type AccountType = 'developer' | 'business';

/** Who sent a request that carries a session token. */
export interface SessionUser {
  readonly userId: string;
  readonly sessionId: string;
  readonly isOperator: boolean;
}

/** The sessions that are alive. */
export abstract class Sessions {
  /** The session of a token, or null when the token is invalid, expired, or its session was ended. */
  abstract authenticate(token: string): Promise<SessionUser | null>;
}

/** What others may ask of users. */
export abstract class Users {
  abstract exists(userId: string): Promise<boolean>;
  /** The name and e-mail a bank is given for the holder of an account. */
  abstract emailOf(userId: string): Promise<string>;
}
