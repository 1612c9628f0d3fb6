import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { AccountType } from './identity.port.js';
import type { Role } from './permissions.port.js';

/** E-mails are trimmed and lower case. */
@Entity('users')
@Unique('users_email_key', ['email'])
@Check('users_email_check', 'email = lower(email)')
@Check('users_account_type_check', `account_type IN ('developer', 'business')`)
@Check('users_role_check', `role IN ('owner', 'approver', 'developer', 'viewer', 'accountant')`)
@Index('users_by_account', ['accountId'], { where: 'account_id IS NOT NULL' })
export class User {
  @PrimaryColumn('uuid')
  id: string;

  @Column('text')
  email: string;

  /** argon2id. */
  @Column('text', { name: 'password_hash' })
  passwordHash: string;

  @Column('text', { name: 'account_type' })
  accountType: AccountType;

  @Column('boolean', { name: 'is_operator', default: false })
  isOperator: boolean;

  /** Null: the user's own id. */
  @Column('uuid', { name: 'account_id', nullable: true })
  accountId: string | null;

  @Column('text', { nullable: true })
  role: Role | null;

  /** When the user became a member of another account. */
  @Column('timestamptz', { name: 'joined_at', nullable: true })
  joinedAt: Date | null;

  /** Since when an operator refuses sign-ins. */
  @Column('timestamptz', { name: 'suspended_at', nullable: true })
  suspendedAt: Date | null;

  /** Unused: see {@link AccountTimeZone}. */
  @Column('text', { name: 'time_zone', default: 'Africa/Lagos' })
  timeZone: string;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;
}

@Entity('account_time_zones')
export class AccountTimeZone {
  @PrimaryColumn('uuid', { name: 'account_id' })
  accountId: string;

  @Column('text', { name: 'time_zone' })
  timeZone: string;
}

@Entity('sessions')
@Index('sessions_by_user', ['userId', 'createdAt'])
export class Session {
  @PrimaryColumn('uuid')
  id: string;

  @ForeignKey(() => User, { name: 'sessions_user_id_fkey' })
  @Column('uuid', { name: 'user_id' })
  userId: string;

  @Index('sessions_expiry')
  @Column('timestamptz', { name: 'expires_at' })
  expiresAt: Date;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  /** Best effort. */
  @Column('text', { nullable: true })
  address: string | null;

  @Column('text', { name: 'user_agent', nullable: true })
  userAgent: string | null;

  /** Null: none in this session, or since the password changed. */
  @Column('timestamptz', { name: 'second_factor_at', nullable: true, select: false })
  secondFactorAt?: Date | null;
}

@Entity('password_resets')
export class PasswordReset {
  @PrimaryColumn('uuid')
  id: string;

  @Index('password_resets_by_user')
  @ForeignKey(() => User, { name: 'password_resets_user_id_fkey' })
  @Column('uuid', { name: 'user_id' })
  userId: string;

  @Index('password_resets_expiry')
  @Column('timestamptz', { name: 'expires_at' })
  expiresAt: Date;
}

/** Unlogged: lost in a crash. */
@Entity('rate_limits')
export class RateLimit {
  @PrimaryColumn('varchar', { length: 255 })
  key: string;

  @Column('integer', { default: 0 })
  points: number;

  /** Milliseconds since 1970, by the database's clock. */
  @Column('bigint', { nullable: true })
  expire: number | null;
}

/** Unlogged: lost in a crash. One row a subject: its newest second. */
@Entity('request_windows')
export class RequestWindow {
  /** `user:`, `key:` or `payment:`, then an id. */
  @PrimaryColumn('text')
  subject: string;

  @Column('timestamptz')
  starts: Date;

  /** The limit. */
  @Column('integer')
  most: number;

  /** Taken before the newest grant. */
  @Column('integer')
  before: number;

  @Column('integer')
  taken: number;
}
