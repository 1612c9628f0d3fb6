import { Injectable } from '@nestjs/common';
import { AppError } from '../../../kernel/errors.js';
import { newId } from '../../../kernel/ids.js';
import { Database } from '../../../platform/database/database.js';
import type { Tx } from '../../../platform/database/tx.js';
import { Events } from '../../../platform/events/events.js';
import { AccountActed } from '../identity.events.js';
import { type Actor, Businesses, type SessionUser, TwoFactor } from '../identity.port.js';
import { type Act, can, PERMISSIONS, type Role } from '../permissions.port.js';
import { InvitationsStore } from './invitations.store.js';
import { type AccountMember, MembersStore } from './members.store.js';

export interface Membership {
  readonly accountId: string;
  readonly role: Role;
  readonly can: readonly Act[];
  readonly business: { readonly id: string; readonly name: string } | null;
  readonly isTwoFactorDemanded: boolean;
  readonly mustSetUpTwoFactor: boolean;
}

/** Concurrent changes never remove the last owner. */
@Injectable()
export class MembersService {
  constructor(
    private readonly store: MembersStore,
    private readonly invitations: InvitationsStore,
    private readonly businesses: Businesses,
    private readonly twoFactor: TwoFactor,
    private readonly database: Database,
    private readonly events: Events,
  ) {}

  async membershipOf(session: SessionUser): Promise<Membership> {
    const { accountId, role, isTwoFactorDemanded, mustSetUpTwoFactor } = session;
    const business = await this.businesses.of(accountId);
    const acts = (Object.keys(PERMISSIONS) as Act[]).filter((act) => can(role, act));
    return { accountId, role, can: acts, business, isTwoFactorDemanded, mustSetUpTwoFactor };
  }

  list(accountId: string): Promise<readonly AccountMember[]> {
    return this.store.of(accountId);
  }

  changeRole(actor: Actor, userId: string, role: Role): Promise<AccountMember> {
    return this.database.transaction(async (tx) => {
      const { member, others } = await this.lockedMember(actor, userId, tx);
      if (member.role === role) return member;
      assertOwnerLeft(member, others);
      await this.store.setRole(member.userId, role, tx);
      if (!can(role, 'members.manage')) await this.dropInvitationsBy(actor.accountId, member.userId, tx);
      await this.record(actor, 'member.role-changed', member, role, tx);
      return { ...member, role };
    });
  }

  async demandTwoFactor({ accountId, userId }: Actor, isDemanded: boolean): Promise<void> {
    if (isDemanded && !(await this.twoFactor.isOn(userId))) {
      throw new AppError(
        'TWO_FACTOR_NOT_ENABLED',
        'Set up two-factor authentication for yourself first: you would lock yourself out.',
      );
    }
    await this.database.transaction(async (tx) => {
      await this.store.lock([accountId], tx);
      assertManages(await this.store.of(accountId, tx), userId);
      const wasDemanded = await this.store.isTwoFactorDemanded(accountId, tx);
      if (wasDemanded === isDemanded) return;
      await this.store.demandTwoFactor(accountId, isDemanded, tx);
      const [before, after] = [wasDemanded, isDemanded].map((demanded) => ({ twoFactorDemanded: demanded }));
      const acted = { accountId, userId, act: 'business.security-changed', before, after };
      await this.events.publish([new AccountActed(acted)], tx);
    });
  }

  /** Ends their sessions in the same transaction. */
  async remove(actor: Actor, userId: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const isLeaving = userId === actor.userId;
      const { member, others } = await this.lockedMember(actor, userId, tx, isLeaving);
      assertOwnerLeft(member, others);
      await this.dropInvitationsBy(actor.accountId, member.userId, tx);
      await this.store.leave(member.userId, newId(), tx);
      const act = member.userId === actor.userId ? 'member.left' : 'member.removed';
      await this.record(actor, act, member, null, tx);
    });
  }

  private async lockedMember(
    { accountId, userId: by }: Actor,
    userId: string,
    tx: Tx,
    isLeaving = false,
  ): Promise<{ readonly member: AccountMember; readonly others: readonly AccountMember[] }> {
    await this.store.lock([accountId], tx);
    const members = await this.store.of(accountId, tx);
    if (!isLeaving) assertManages(members, by);
    const member = members.find((each) => each.userId === userId.toLowerCase());
    if (!member) throw new AppError('MEMBER_NOT_FOUND', 'No member of your business has this id.');
    return { member, others: members.filter((each) => each !== member) };
  }

  private dropInvitationsBy(accountId: string, invitedBy: string, tx: Tx): Promise<void> {
    return this.invitations.revoke({ accountId, invitedBy }, tx);
  }

  private async record(
    { accountId, userId }: Actor,
    act: string,
    member: AccountMember,
    role: Role | null,
    tx: Tx,
  ): Promise<void> {
    const before = { email: member.email, role: member.role };
    const acted = { accountId, userId, act, subject: member.userId, before, after: role ? { role } : {} };
    await this.events.publish([new AccountActed(acted)], tx);
  }
}

/** Throws `FORBIDDEN`. */
export function assertManages(members: readonly AccountMember[], userId: string): void {
  if (members.some((each) => each.userId === userId && can(each.role, 'members.manage'))) return;
  throw new AppError('FORBIDDEN', 'Your role changed meanwhile.');
}

function assertOwnerLeft({ role }: AccountMember, others: readonly AccountMember[]): void {
  if (role !== 'owner' || others.some((each) => each.role === 'owner')) return;
  throw new AppError(
    'LAST_OWNER',
    'A business keeps at least one owner. Make another member an owner first.',
  );
}
