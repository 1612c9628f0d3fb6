/** `businessId`: create this business, for account type `business`. */
export class UserSignedUp {
  static readonly type = 'user.signed-up';
  readonly userId: string;
  readonly email: string;
  readonly businessId: string | null;
  readonly at: Date;

  constructor(payload: UserSignedUp) {
    Object.assign(this, payload);
  }
}

/** The user may not exist. */
export class PasswordResetRequested {
  static readonly type = 'password-reset.requested';
  readonly email: string;
  /** ISO 8601. */
  readonly at: string;

  constructor(payload: PasswordResetRequested) {
    Object.assign(this, payload);
  }
}

/** Security of an account changed, or is under attack: mail its owner. */
export class SecurityChanged {
  static readonly type = 'security.changed';
  readonly userId: string;
  readonly change:
    | 'password-changed'
    | 'password-reset'
    | 'two-factor-enabled'
    | 'two-factor-disabled'
    /** Too many wrong codes were sent. */
    | 'two-factor-locked';

  constructor(payload: SecurityChanged) {
    Object.assign(this, payload);
  }
}
