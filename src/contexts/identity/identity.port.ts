export type AccountType = 'developer' | 'business';

/** Who sent a request that carries a session token. */
export interface SessionUser {
  readonly userId: string;
  readonly sessionId: string;
  readonly isOperator: boolean;
}

/** What others may ask of users. */
export abstract class Users {
  abstract exists(userId: string): Promise<boolean>;
  /** The name and e-mail a bank is given for the holder of an account. */
  abstract emailOf(userId: string): Promise<string>;
}
