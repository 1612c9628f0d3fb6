import type { FastifyReply } from 'fastify';
import { AppError } from '../../kernel/errors.js';
import type { Queryable, Tx } from '../../platform/database/tx.js';
import type { Act, Role } from './permissions.port.js';

export type AccountType = 'developer' | 'business';

export interface SessionUser {
  readonly userId: string;
  readonly sessionId: string;
  readonly isOperator: boolean;
  /** Owns wallets, endpoints and payees; see {@link Users.accountOf}. */
  readonly accountId: string;
  readonly role: Role;
  readonly isTwoFactorDemanded: boolean;
  /** Demanded, and the user has none. */
  readonly mustSetUpTwoFactor: boolean;
}

export type Actor = Pick<SessionUser, 'userId' | 'accountId'>;

export interface Member {
  readonly userId: string;
  readonly accountId: string;
  readonly role: Role;
  readonly mustSetUpTwoFactor: boolean;
}

export abstract class Users {
  abstract exists(userId: string): Promise<boolean>;
  /** Throws an Error for an unknown user. */
  abstract emailOf(userId: string): Promise<string>;
  abstract emailsOf(userIds: readonly string[], from: Queryable): Promise<ReadonlyMap<string, string>>;
  /** Members of the account alone. */
  abstract allowedAmong(accountId: string, userIds: readonly string[], act: Act, tx: Tx): Promise<string[]>;
  abstract ownerEmails(accountId: string): Promise<readonly string[]>;
  abstract membersOf(accountIds: readonly string[]): Promise<readonly Member[]>;
  /** A member's business; a person alone is an account of the same id. */
  abstract accountOf(userId: string, tx: Tx): Promise<string>;
  /** False if it has ended; else it can't end before `tx`. */
  abstract holdSession(sessionId: string, tx: Tx): Promise<boolean>;
  abstract timeZoneOf(accountId: string): Promise<string>;

  /** Throws `FORBIDDEN`. */
  async assertMay({ accountId, userId }: Actor, act: Act, tx: Tx): Promise<void> {
    const allowed = await this.allowedAmong(accountId, [userId], act, tx);
    if (allowed.length === 0) throw new AppError('FORBIDDEN', 'Your role changed meanwhile.');
  }
}

/** Implemented by the business context. */
export abstract class Businesses {
  abstract idOf(accountId: string, tx?: Tx): Promise<string | null>;
  abstract of(accountId: string): Promise<{ readonly id: string; readonly name: string } | null>;
}

export abstract class Sessions {
  abstract liveAmong(sessionIds: readonly string[]): Promise<ReadonlySet<string>>;
}

/** A session, or without one a sign-in. */
export interface Prover {
  readonly userId: string;
  readonly sessionId: string | null;
}

/** Proofs are a code of the app, a recovery code, or a passkey's answer as JSON. */
export abstract class TwoFactor {
  /** Uses a right proof up; else throws. */
  abstract verify(prover: Prover, proof: string | undefined): Promise<void>;

  abstract isOn(userId: string): Promise<boolean>;

  /**
   * True without a second factor, with a right proof, or within {@link STEP_UP_MINUTES} of one in this
   * session. Throws for a wrong one.
   */
  abstract stepUp(session: SessionUser, proof: string | undefined): Promise<boolean>;
}

export const STEP_UP_MINUTES = 10;

export function secondFactorRequired(): AppError {
  return new AppError('TWO_FACTOR_REQUIRED', 'Send a code of your authenticator app, or a recovery code.');
}

export function twoFactorDemanded(): AppError {
  return new AppError(
    'TWO_FACTOR_DEMANDED',
    'Your business demands two-factor authentication: set up an authenticator app or a passkey first.',
  );
}

/** Limits on the requests of a user or key in a second, over all replicas. */
export abstract class RequestLimits {
  /**
   * Counts a request and describes the limit in `reply`. Throws `RATE_LIMITED`, and `DATABASE_UNAVAILABLE`
   * within a second. Answers at once unless the database must be asked.
   */
  abstract admit(
    kind: 'user' | 'key' | 'payment',
    id: string,
    reply: FastifyReply,
  ): Promise<void> | undefined;
}
