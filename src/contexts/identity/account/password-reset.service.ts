import { Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { BRAND } from '../../../kernel/brand.js';
import { newId } from '../../../kernel/ids.js';
import { AppError } from '../../../kernel/errors.js';
import { isUuid } from '../../../kernel/text.js';
import { Config, dashboardUrl } from '../../../platform/config.js';
import { databaseNow } from '../../../platform/database/clock.js';
import { Database } from '../../../platform/database/database.js';
import { AfterCommit, Events } from '../../../platform/events/events.js';
import { laidOut } from '../../../platform/mail/letter.js';
import { Mail } from '../../../platform/mail/mail.js';
import { PasswordResetRequested, SecurityChanged } from '../identity.events.js';
import { IdentityStore } from '../identity.store.js';
import { TOKEN_ALGORITHM, TOKEN_ISSUER } from '../jwt.strategy.js';
import { LoginLimits } from '../login-limits.js';
import { Passwords } from '../passwords.js';
import { AccountService } from './account.service.js';

const AUDIENCE = 'password-reset';
const LINK_MINUTES = 30;

@Injectable()
export class PasswordResetService {
  constructor(
    private readonly store: IdentityStore,
    private readonly passwords: Passwords,
    private readonly accounts: AccountService,
    private readonly limits: LoginLimits,
    private readonly jwt: JwtService,
    private readonly mail: Mail,
    private readonly config: Config,
    private readonly database: Database,
    private readonly events: Events,
  ) {}

  /** Answers alike, and as fast, for unknown e-mails. */
  async request(email: string, address: string): Promise<void> {
    if (!this.mail.isConfigured) {
      throw new AppError(
        'MAIL_UNAVAILABLE',
        'Passwords can not be reset here: the service has no mail server.',
      );
    }
    if (!(await this.limits.passwordReset(email, address))) return;
    const at = (await databaseNow(this.database)).toISOString();
    const request = new PasswordResetRequested({ email, at });
    await this.database.transaction((tx) => this.events.publish([request], tx));
  }

  /** A retry sends another link; any of them works once. */
  @AfterCommit(PasswordResetRequested)
  async sendLinks(requests: readonly PasswordResetRequested[]): Promise<void> {
    const now = await databaseNow(this.database);
    for (const { email, at } of requests) {
      if (now.getTime() - Date.parse(at) > LINK_MINUTES * 60_000) continue;
      const user = await this.store.findUser(email);
      if (!user) continue;
      const resetId = newId();
      await this.store.addReset(resetId, user.id, LINK_MINUTES * 60);
      const token = await this.jwt.signAsync(
        { iat: secondsOf(now) },
        { subject: user.id, jwtid: resetId, audience: AUDIENCE, expiresIn: LINK_MINUTES * 60 },
      );
      await this.mail.send(
        laidOut({
          to: email,
          subject: 'Set a new password',
          paragraphs: [
            `Someone asked for a new password for your ${BRAND} account with this e-mail address. If it was you, ` +
              `open this link within ${LINK_MINUTES} minutes; it works once.`,
          ],
          action: { label: 'Set a new password', url: this.linkWith(token) },
          closing: ['If it was not you, do nothing: your password stays as it is.'],
        }),
      );
    }
  }

  /** Ends all sessions and links; of several at once one succeeds. */
  async confirm(token: string, newPassword: string): Promise<void> {
    const { userId, resetId } = await this.claimsOf(token);
    if (!(await this.store.hasReset(resetId, userId))) throw invalidToken();
    const passwordHash = await this.passwords.hash(newPassword);
    await this.database.transaction(async (tx) => {
      await this.store.lockUser(userId, 'pessimistic_write', tx);
      if (!(await this.store.consumeReset(resetId, userId, tx))) throw invalidToken();
      await this.accounts.replacePassword(userId, passwordHash, null, tx);
      await this.events.publish([new SecurityChanged({ userId, change: 'password-reset' })], tx);
    });
  }

  /** A retry mails again. */
  @AfterCommit(SecurityChanged)
  async tellOwners(changes: readonly SecurityChanged[]): Promise<void> {
    if (!this.mail.isConfigured) return;
    for (const { userId, change, passkey } of changes) {
      await this.mail.send(
        laidOut({
          to: await this.store.emailOf(userId),
          subject: SUBJECTS[change],
          ...(passkey && { facts: [['Passkey', passkey.name]] }),
          paragraphs: [
            `${SUBJECTS[change]} at ${BRAND}. If this was you, ${change === 'two-factor-locked' ? LOCKED : 'there is nothing to do'}.`,
            'If it was not, set a new password at once.',
          ],
          action: { label: 'Open the dashboard', url: `${dashboardUrl(this.config)}/` },
        }),
      );
    }
  }

  private async claimsOf(token: string): Promise<{ userId: string; resetId: string }> {
    const now = await databaseNow(this.database);
    const claims = await this.jwt
      .verifyAsync<{
        sub?: unknown;
        jti?: unknown;
      }>(token, {
        algorithms: [TOKEN_ALGORITHM],
        issuer: TOKEN_ISSUER,
        audience: AUDIENCE,
        clockTimestamp: secondsOf(now),
      })
      .catch(() => null);
    if (!claims || !isUuid(claims.sub) || !isUuid(claims.jti)) throw invalidToken();
    return { userId: claims.sub, resetId: claims.jti };
  }

  /** Behind the #, which browsers send to no server. */
  private linkWith(token: string): string {
    return `${dashboardUrl(this.config)}/reset-password#token=${token}`;
  }
}

function secondsOf(time: Date): number {
  return Math.trunc(time.getTime() / 1_000);
}

const SUBJECTS: Record<SecurityChanged['change'], string> = {
  'password-changed': 'Your password was changed',
  'password-reset': 'Your password was set anew by a link',
  'two-factor-enabled': 'Two-factor authentication was turned on',
  'two-factor-disabled': 'Two-factor authentication was turned off',
  'authenticator-added': 'An authenticator app was added',
  'authenticator-removed': 'Your authenticator app was removed',
  'passkey-added': 'A passkey was added',
  'passkey-removed': 'A passkey was removed',
  'recovery-codes-renewed': 'New recovery codes were made',
  'two-factor-locked': 'Ten wrong two-factor codes were entered',
};
const LOCKED = 'try again in 15 minutes: until then no code or passkey is taken';

function invalidToken(): AppError {
  return new AppError('INVALID_RESET_TOKEN', 'This link is not valid any more. Ask for another.', {
    fields: [{ field: 'token', message: 'is not valid any more' }],
  });
}
