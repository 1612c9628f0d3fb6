import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { Database } from '../../../platform/database/database.js';
import type { Tx } from '../../../platform/database/tx.js';
import { isUuid } from '../../../kernel/text.js';
import type { Role } from '../permissions.port.js';
import { MemberInvitation } from './members.entity.js';

const OPEN = { acceptedAt: IsNull(), revokedAt: IsNull() };
export const INVITATION_DAYS = 7;
const EXPIRY = (): string => `clock_timestamp() + interval '${INVITATION_DAYS} days'`;

@Injectable()
export class InvitationsStore {
  constructor(private readonly database: Database) {}

  /** Newest first, expired ones too. */
  openOf(
    accountId: string,
    from: Pick<Database | Tx, 'repository'> = this.database,
  ): Promise<MemberInvitation[]> {
    return from
      .repository(MemberInvitation)
      .find({ where: { accountId, ...OPEN }, order: { createdAt: 'DESC', id: 'DESC' } });
  }

  find(
    id: string,
    where: Partial<Pick<MemberInvitation, 'accountId' | 'email'>>,
    from: Pick<Database | Tx, 'repository'> = this.database,
  ): Promise<MemberInvitation | null> {
    if (!isUuid(id)) return Promise.resolve(null);
    return from.repository(MemberInvitation).findOneBy({ id, ...where, ...OPEN });
  }

  async add(
    invitation: Pick<MemberInvitation, 'id' | 'accountId' | 'email' | 'role' | 'invitedBy'>,
    tx: Tx,
  ): Promise<MemberInvitation> {
    const invitations = tx.repository(MemberInvitation);
    await invitations.insert({
      ...invitation,
      createdAt: () => `date_trunc('milliseconds', clock_timestamp())`,
      expiresAt: EXPIRY,
    });
    return invitations.findOneByOrFail({ id: invitation.id });
  }

  async renew(id: string, change: { role: Role; invitedBy: string }, tx: Tx): Promise<MemberInvitation> {
    const invitations = tx.repository(MemberInvitation);
    await invitations.update({ id }, { ...change, expiresAt: EXPIRY, expiryRecordedAt: null });
    return invitations.findOneByOrFail({ id });
  }

  /** Each once, again if renewed. */
  recordExpired(
    max: number,
    tx: Tx,
  ): Promise<{ accountId: string; invitationId: string; email: string; role: Role }[]> {
    return tx.query(
      `UPDATE member_invitations SET expiry_recorded_at = clock_timestamp() WHERE id IN (
         SELECT id FROM member_invitations
          WHERE accepted_at IS NULL AND revoked_at IS NULL AND expiry_recorded_at IS NULL
            AND expires_at <= statement_timestamp()
          ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED)
       RETURNING account_id AS "accountId", id AS "invitationId", email, role`,
      [max],
    );
  }

  async accept(id: string, tx: Tx): Promise<void> {
    await tx.repository(MemberInvitation).update({ id }, { acceptedAt: () => 'clock_timestamp()' });
  }

  async revoke(where: { id: string } | { accountId: string; invitedBy: string }, tx: Tx): Promise<void> {
    await tx
      .repository(MemberInvitation)
      .update({ ...where, ...OPEN }, { revokedAt: () => 'clock_timestamp()' });
  }
}
