import { Injectable, Logger } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { newId } from '../../kernel/ids.js';
import { WorkQueue } from '../../platform/batching/work-queue.js';
import { databaseNow } from '../../platform/database/clock.js';
import { Database } from '../../platform/database/database.js';
import type { Tx } from '../../platform/database/tx.js';
import { AppError } from '../../kernel/errors.js';
import { Events } from '../../platform/events/events.js';
import { AccountActed, SessionStarted, UserSignedUp } from './identity.events.js';
import { type AccountType, Businesses, type SessionUser, TwoFactor } from './identity.port.js';
import type { User } from './identity.entity.js';
import { type Client, IdentityStore } from './identity.store.js';
import { LoginLimits } from './login-limits.js';
import { Passwords } from './passwords.js';

const FAILURES_WAITING_MAX = 100;
const SESSION_SECONDS = 7 * 24 * 60 * 60;

export type PublicUser = Pick<User, 'id' | 'email' | 'accountType' | 'createdAt'> & {
  readonly businessId: string | null;
  /** Set only for operators of the service. */
  readonly isOperator?: true;
};

export interface SignedIn {
  readonly user: PublicUser;
  readonly token: string;
}

export interface LogIn {
  readonly email: string;
  readonly password: string;
  /** Or a recovery code. */
  readonly totpCode?: string | null;
  readonly passkey?: string | null;
}

/** A session is a row; its token is a JWT that names it. */
@Injectable()
export class IdentityService {
  private readonly log = new Logger(IdentityService.name);
  private readonly failures = new WorkQueue(1, FAILURES_WAITING_MAX);

  constructor(
    private readonly store: IdentityStore,
    private readonly passwords: Passwords,
    private readonly businesses: Businesses,
    private readonly twoFactor: TwoFactor,
    private readonly limits: LoginLimits,
    private readonly jwt: JwtService,
    private readonly database: Database,
    private readonly events: Events,
  ) {}

  async signUp(
    request: { email: string; password: string; accountType: AccountType },
    client: Client,
  ): Promise<SignedIn> {
    const passwordHash = await this.passwords.hash(request.password);
    const businessId = request.accountType === 'business' ? newId() : null;
    return this.database.transaction(async (tx) => {
      const user = await this.store.addUser({ ...request, id: newId(), passwordHash }, tx);
      await this.events.publish(
        [new UserSignedUp({ userId: user.id, email: user.email, businessId, at: user.createdAt })],
        tx,
      );
      return this.signIn(user, businessId, client, tx);
    });
  }

  /** Throws `INVALID_CREDENTIALS` in the same time whatever was wrong, and what the second factor throws. */
  logIn(request: LogIn, client: Client): Promise<SignedIn> {
    return this.recordingFailures(request.email, client, (user) => this.logInAs(user, request, client));
  }

  /** Likewise. Returns the user's id. */
  requirePassword(email: string, password: string, client: Client): Promise<string> {
    return this.recordingFailures(
      email,
      client,
      async (user) => (await this.withPassword(user, password)).id,
    );
  }

  private async recordingFailures<T>(
    email: string,
    client: Client,
    attempt: (user: User | null) => Promise<T>,
  ): Promise<T> {
    const user = await this.store.findUser(email);
    try {
      return await attempt(user);
    } catch (error) {
      const fields = { address: client.address, userId: user?.id ?? null };
      if (error instanceof AppError) {
        this.log.warn({ ...fields, code: error.code }, 'login failed');
        if (user) this.recordFailure(user, client, error.code);
      }
      throw error;
    }
  }

  private async withPassword(user: User | null, password: string): Promise<User> {
    const isRight = await this.passwords.isRight(user?.passwordHash, password);
    if (!user || !isRight) throw invalidCredentials();
    return user;
  }

  /** In the background: an answer must not take longer because the user exists. */
  private recordFailure({ id: userId, accountId }: User, { address }: Client, reason: string): void {
    const act = { accountId: accountId ?? userId, userId, act: 'sign-in.failed', address, after: { reason } };
    this.failures
      .run(async () => {
        if (!(await this.limits.isFailureRecorded(userId))) return;
        await this.database.transaction((tx) => this.events.publish([new AccountActed(act)], tx));
      })
      .catch((error: unknown) => this.log.warn(`a failed login was not recorded: ${String(error)}`));
  }

  private async logInAs(found: User | null, request: LogIn, client: Client): Promise<SignedIn> {
    const user = await this.withPassword(found, request.password);
    const proof = request.passkey ?? request.totpCode ?? undefined;
    await this.twoFactor.verify({ userId: user.id, sessionId: null }, proof);
    const businessId = await this.businesses.idOf(user.accountId ?? user.id);
    return this.database.transaction(async (tx) => {
      // Its password may have changed meanwhile.
      const now = await this.store.lockUser(user.id, 'pessimistic_read', tx);
      if (now?.passwordHash !== user.passwordHash) throw invalidCredentials();
      if (now.suspendedAt !== null) {
        throw new AppError('FORBIDDEN', 'This login is suspended. Write to the operator of the service.');
      }
      const isKnown = await this.store.knowsClient(user.id, client, tx);
      const sessionId = newId();
      const signedIn = await this.signIn(user, businessId, client, tx, sessionId);
      if (!isKnown) await this.events.publish([startedBy(now, sessionId, client, await databaseNow(tx))], tx);
      return signedIn;
    });
  }

  private async signIn(
    user: User,
    businessId: string | null,
    client: Client,
    tx: Tx,
    sessionId = newId(),
  ): Promise<SignedIn> {
    await this.store.startSession(sessionId, user.id, client, SESSION_SECONDS, tx);
    const { address, userAgent } = client;
    const accountId = user.accountId ?? user.id;
    const acted = {
      accountId,
      userId: user.id,
      act: 'sign-in.succeeded',
      subject: sessionId,
      address,
      after: { userAgent },
    };
    await this.events.publish([new AccountActed(acted)], tx);
    const token = await this.jwt.signAsync(
      {},
      { subject: user.id, jwtid: sessionId, expiresIn: SESSION_SECONDS },
    );
    return { user: present(user, businessId), token };
  }

  async user(userId: string): Promise<PublicUser> {
    const user = await this.store.userOf(userId);
    return present(user, await this.businesses.idOf(user.accountId ?? user.id));
  }

  /** At once, on every replica. */
  async logOut({ sessionId, userId, accountId }: SessionUser): Promise<void> {
    await this.database.transaction(async (tx) => {
      if (!(await this.store.endSession(sessionId, userId, tx))) return;
      const acted = { accountId, userId, act: 'session.ended', subject: sessionId };
      await this.events.publish([new AccountActed(acted)], tx);
    });
  }
}

function present(
  { id, email, accountType, createdAt, isOperator }: User,
  businessId: string | null,
): PublicUser {
  return { id, email, accountType, businessId, createdAt, ...(isOperator && { isOperator: true }) };
}

function startedBy(
  { id: userId, accountId }: User,
  sessionId: string,
  { address, userAgent: device }: Client,
  now: Date,
): SessionStarted {
  const started = { sessionId, userId, accountId: accountId ?? userId, address, device };
  return new SessionStarted({ ...started, at: now.toISOString() });
}

function invalidCredentials(): AppError {
  return new AppError('INVALID_CREDENTIALS', 'The e-mail or the password is wrong.');
}
