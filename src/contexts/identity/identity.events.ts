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

/** A line of the account's activity log, without secrets. */
export class AccountActed {
  static readonly type = 'account.acted';
  readonly accountId: string;
  readonly userId: string;
  /** Such as `key.created`. */
  readonly act: string;
  /** Id of what it was done to. */
  readonly subject?: string | null;
  readonly before?: object;
  readonly after?: object;
  readonly address?: string;
  /** Shown unnamed. */
  readonly isByOperator?: boolean;

  constructor(payload: AccountActed) {
    Object.assign(this, payload);
  }
}

export class MemberJoining {
  static readonly type = 'member.joining';
  readonly userId: string;
  /** The account they leave. */
  readonly accountId: string;

  constructor(payload: MemberJoining) {
    Object.assign(this, payload);
  }
}

export class InvitationExpired {
  static readonly type = 'invitation.expired';
  readonly accountId: string;
  readonly invitationId: string;
  readonly email: string;
  readonly role: string;

  constructor(payload: InvitationExpired) {
    Object.assign(this, payload);
  }
}

export class MemberInvited {
  static readonly type = 'member.invited';
  readonly invitationId: string;

  constructor(payload: MemberInvited) {
    Object.assign(this, payload);
  }
}

/** A sign-in from a browser and address that no other session of the user has. */
export class SessionStarted {
  static readonly type = 'session.started';
  readonly sessionId: string;
  readonly userId: string;
  readonly accountId: string;
  readonly address: string;
  readonly device: string | null;
  /** ISO 8601. */
  readonly at: string;

  constructor(payload: SessionStarted) {
    Object.assign(this, payload);
  }
}

/** Ended by somebody, not by expiry. */
export class SessionsEnded {
  static readonly type = 'sessions.ended';
  readonly userId: string;
  /** Null: all. */
  readonly sessionId: string | null;
  readonly kept: string | null;

  constructor(payload: SessionsEnded) {
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
    | 'authenticator-added'
    | 'authenticator-removed'
    | 'passkey-added'
    | 'passkey-removed'
    | 'recovery-codes-renewed'
    /** Too many wrong codes were sent. */
    | 'two-factor-locked';
  readonly passkey?: { readonly id: string; readonly name: string };

  constructor(payload: SecurityChanged) {
    Object.assign(this, payload);
  }
}
