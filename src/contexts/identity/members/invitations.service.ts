import { Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { BRAND } from '../../../kernel/brand.js';
import { AppError } from '../../../kernel/errors.js';
import { newId } from '../../../kernel/ids.js';
import { isUuid } from '../../../kernel/text.js';
import { Config, dashboardUrl } from '../../../platform/config.js';
import { databaseNow } from '../../../platform/database/clock.js';
import { Database } from '../../../platform/database/database.js';
import type { Tx } from '../../../platform/database/tx.js';
import { AfterCommit, Events } from '../../../platform/events/events.js';
import { laidOut } from '../../../platform/mail/letter.js';
import { Mail } from '../../../platform/mail/mail.js';
import { AccountActed, MemberInvited, MemberJoining } from '../identity.events.js';
import { type Actor, Businesses, type SessionUser } from '../identity.port.js';
import { IdentityStore } from '../identity.store.js';
import { TOKEN_ALGORITHM, TOKEN_ISSUER } from '../jwt.strategy.js';
import { LoginLimits } from '../login-limits.js';
import type { Role } from '../permissions.port.js';
import { INVITATION_DAYS, InvitationsStore } from './invitations.store.js';
import type { MemberInvitation } from './members.entity.js';
import { assertManages } from './members.service.js';
import { MembersStore } from './members.store.js';

const AUDIENCE = 'invitation';
const MEMBERS_MAX = 200;
const OPEN_INVITATIONS_MAX = 100;

export type Invitation = MemberInvitation & { readonly isExpired: boolean };

@Injectable()
export class InvitationsService {
  constructor(
    private readonly store: InvitationsStore,
    private readonly members: MembersStore,
    private readonly users: IdentityStore,
    private readonly businesses: Businesses,
    private readonly limits: LoginLimits,
    private readonly jwt: JwtService,
    private readonly mail: Mail,
    private readonly config: Config,
    private readonly database: Database,
    private readonly events: Events,
  ) {}

  async list(accountId: string): Promise<readonly Invitation[]> {
    const [now, open] = await Promise.all([databaseNow(this.database), this.store.openOf(accountId)]);
    return open.map((each) => ({ ...each, isExpired: each.expiresAt <= now }));
  }

  /** Mails a link; renews an earlier invitation. */
  async invite({ accountId, userId }: Actor, email: string, role: Role): Promise<Invitation> {
    await this.assertMayMail(accountId, email);
    return this.database.transaction(async (tx) => {
      await this.members.lock([accountId], tx);
      if ((await this.businesses.idOf(accountId, tx)) === null) {
        throw new AppError('BUSINESS_REQUIRED', 'Register your business first, then invite others to it.');
      }
      const members = await this.members.of(accountId, tx);
      assertManages(members, userId);
      if (members.some((each) => each.email === email)) throw alreadyMember();
      const open = await this.store.openOf(accountId, tx);
      const known = open.find((each) => each.email === email);
      if (!known && (members.length >= MEMBERS_MAX || open.length >= OPEN_INVITATIONS_MAX))
        throw limitReached();
      const invitation = known
        ? await this.store.renew(known.id, { role, invitedBy: userId }, tx)
        : await this.store.add({ id: newId(), accountId, email, role, invitedBy: userId }, tx);
      await this.send({ accountId, userId }, invitation, tx);
      return { ...invitation, isExpired: false };
    });
  }

  async resend(actor: Actor, id: string): Promise<Invitation> {
    const invitation = await this.store.find(id, { accountId: actor.accountId });
    if (!invitation) throw notFound();
    return this.invite(actor, invitation.email, invitation.role);
  }

  async revoke({ accountId, userId }: Actor, id: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      await this.members.lock([accountId], tx);
      const invitation = await this.store.find(id, { accountId }, tx);
      if (!invitation) throw notFound();
      await this.store.revoke({ id: invitation.id }, tx);
      const { email, role } = invitation;
      const acted = {
        accountId,
        userId,
        act: 'member.invitation-revoked',
        subject: id,
        before: { email, role },
      };
      await this.events.publish([new AccountActed(acted)], tx);
    });
  }

  /** Makes the signed-in user a member, in this session too. */
  async accept({ userId }: SessionUser, token: string): Promise<Role> {
    const id = await this.invitationOf(token);
    const found = await this.store.find(id, {});
    if (!found) throw notFound();
    const { accountId } = found;
    return this.database.transaction(async (tx) => {
      const own = await this.users.accountOf(userId, tx);
      await this.members.lock([own, accountId], tx);
      const user = await this.users.lockUser(userId, 'pessimistic_write', tx);
      const invitation = await this.store.find(id, { accountId }, tx);
      if (!user || !invitation || invitation.expiresAt <= (await databaseNow(tx))) throw notFound();
      if (user.email !== invitation.email) {
        throw new AppError(
          'FORBIDDEN',
          `This invitation is for another e-mail address. Sign in with that one.`,
        );
      }
      if (own === accountId || user.joinedAt !== null) throw alreadyMember();
      if ((await this.members.of(own, tx)).length > 1) {
        throw new AppError(
          'ACCOUNT_NOT_EMPTY',
          'Your own business has members. Another owner must remove you first.',
        );
      }
      if ((await this.members.of(accountId, tx)).length >= MEMBERS_MAX) throw limitReached();
      await this.events.publish([new MemberJoining({ userId, accountId: own })], tx);
      await this.members.join(userId, accountId, invitation.role, tx);
      await this.store.accept(id, tx);
      const { email, role, invitedBy } = invitation;
      const acted = {
        accountId,
        userId,
        act: 'member.joined',
        subject: userId,
        after: { email, role, invitedBy },
      };
      await this.events.publish([new AccountActed(acted)], tx);
      return role;
    });
  }

  /** A retry mails again. */
  @AfterCommit(MemberInvited)
  async mailLinks(invited: readonly MemberInvited[]): Promise<void> {
    const now = await databaseNow(this.database);
    for (const { invitationId } of invited) {
      const invitation = await this.store.find(invitationId, {});
      if (!invitation || invitation.expiresAt <= now) continue;
      const { accountId, email, role, expiresAt } = invitation;
      const { name = 'a business' } = (await this.businesses.of(accountId)) ?? {};
      const by = await this.users.emailOf(invitation.invitedBy);
      const exp = Math.floor(expiresAt.getTime() / 1_000);
      const token = await this.jwt.signAsync({ exp }, { jwtid: invitation.id, audience: AUDIENCE });
      await this.mail.send(
        laidOut({
          to: email,
          subject: `${by} invites you to ${name}`,
          paragraphs: [
            `${by} invites you to work on the wallets of ${name} at ${BRAND}, as ${role}. Open this link within ` +
              `${INVITATION_DAYS} days and sign up or sign in with this e-mail address.`,
          ],
          // Behind the #, which browsers send to no server.
          action: { label: 'Join', url: `${dashboardUrl(this.config)}/invitation#token=${token}` },
          closing: ['If you do not know who this is, do nothing.'],
        }),
      );
    }
  }

  private async assertMayMail(accountId: string, email: string): Promise<void> {
    if (!this.mail.isConfigured) {
      throw new AppError('MAIL_UNAVAILABLE', 'Nobody can be invited here: the service has no mail server.');
    }
    await this.limits.invitation(accountId, email);
  }

  private async send(
    { accountId, userId }: Actor,
    { id, email, role }: MemberInvitation,
    tx: Tx,
  ): Promise<void> {
    const acted = { accountId, userId, act: 'member.invited', subject: id, after: { email, role } };
    await this.events.publish([new AccountActed(acted)], tx);
    await this.events.publish([new MemberInvited({ invitationId: id })], tx);
  }

  private async invitationOf(token: string): Promise<string> {
    const claims = await this.jwt
      .verifyAsync<{ jti?: unknown }>(token, {
        algorithms: [TOKEN_ALGORITHM],
        issuer: TOKEN_ISSUER,
        audience: AUDIENCE,
        // The row's expiry counts, by the database's clock.
        ignoreExpiration: true,
      })
      .catch(() => null);
    if (!claims || !isUuid(claims.jti)) throw notFound();
    return claims.jti;
  }
}

function notFound(): AppError {
  return new AppError('INVITATION_NOT_FOUND', 'This invitation is not valid any more. Ask for another.');
}

function alreadyMember(): AppError {
  return new AppError('ALREADY_MEMBER', 'This user is a member of a business already.');
}

function limitReached(): AppError {
  return new AppError(
    'MEMBER_LIMIT_REACHED',
    `A business can have ${MEMBERS_MAX} members and ${OPEN_INVITATIONS_MAX} open invitations. Remove one first.`,
  );
}
