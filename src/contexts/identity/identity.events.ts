/** A user signed up. `businessId` is set for account type `business`: that business is to be made. */
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

/** Someone asked for a link that sets a new password; whether there is such a user is found out afterwards. */
export class PasswordResetRequested {
  static readonly type = 'password-reset.requested';
  readonly email: string;
  /** ISO 8601. */
  readonly at: string;

  constructor(payload: PasswordResetRequested) {
    Object.assign(this, payload);
  }
}

/** What guards an account was changed, or attacked: its owner is told, who may not have been the one to do it. */
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
