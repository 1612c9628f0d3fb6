import { EventOf } from '../../kernel/event.js';

/** `businessId`: create this business, for account type `business`. */
export class UserSignedUp extends EventOf<{
  readonly userId: string;
  readonly email: string;
  readonly businessId: string | null;
  readonly at: Date;
}>('user.signed-up') {}

/** A line of the account's activity log, without secrets. */
export class AccountActed extends EventOf<{
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
}>('account.acted') {}

export class MemberJoining extends EventOf<{
  readonly userId: string;
  /** The account they leave. */
  readonly accountId: string;
}>('member.joining') {}

export class InvitationExpired extends EventOf<{
  readonly accountId: string;
  readonly invitationId: string;
  readonly email: string;
  readonly role: string;
}>('invitation.expired') {}

export class MemberInvited extends EventOf<{
  readonly invitationId: string;
}>('member.invited') {}

/** A sign-in from a browser and address that no other session of the user has. */
export class SessionStarted extends EventOf<{
  readonly sessionId: string;
  readonly userId: string;
  readonly accountId: string;
  readonly address: string;
  readonly device: string | null;
  /** ISO 8601. */
  readonly at: string;
}>('session.started') {}

/** Ended by somebody, not by expiry. */
export class SessionsEnded extends EventOf<{
  readonly userId: string;
  /** Null: all. */
  readonly sessionId: string | null;
  readonly kept: string | null;
}>('sessions.ended') {}

/** The user may not exist. */
export class PasswordResetRequested extends EventOf<{
  readonly email: string;
  /** ISO 8601. */
  readonly at: string;
}>('password-reset.requested') {}

/** Security of an account changed, or is under attack: mail its owner. */
export class SecurityChanged extends EventOf<{
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
}>('security.changed') {}
