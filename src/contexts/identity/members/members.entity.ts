import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Role } from '../permissions.port.js';

@Entity('two_factor_demands')
export class TwoFactorDemand {
  @PrimaryColumn('uuid', { name: 'account_id' })
  accountId: string;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;
}

/** Open until it is accepted, revoked or expired. E-mails are trimmed and lower case. */
@Entity('member_invitations')
@Index('member_invitations_open', ['accountId', 'email'], {
  unique: true,
  where: 'accepted_at IS NULL AND revoked_at IS NULL',
})
@Check('member_invitations_role_check', `role IN ('owner', 'approver', 'developer', 'viewer', 'accountant')`)
export class MemberInvitation {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid', { name: 'account_id' })
  accountId: string;

  @Column('text')
  email: string;

  @Column('text')
  role: Role;

  @Column('uuid', { name: 'invited_by' })
  invitedBy: string;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt: Date;

  @Column('timestamptz', { name: 'accepted_at', nullable: true })
  acceptedAt: Date | null;

  @Column('timestamptz', { name: 'revoked_at', nullable: true })
  revokedAt: Date | null;

  @Column('timestamptz', { name: 'expiry_recorded_at', nullable: true })
  expiryRecordedAt: Date | null;
}
