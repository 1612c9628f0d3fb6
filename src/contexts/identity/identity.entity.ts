import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { AccountType } from './identity.port.js';

/** A person who signed up. E-mails are trimmed and lower case. */
@Entity('users')
@Unique('users_email_key', ['email'])
@Check('users_email_check', 'email = lower(email)')
@Check('users_account_type_check', `account_type IN ('developer', 'business')`)
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

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;
}

/** A session that has not been ended; its token names it. */
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

  /** Where it was begun, as far as the service could tell. */
  @Column('text', { nullable: true })
  address: string | null;

  /** The client's name for itself, cut. */
  @Column('text', { name: 'user_agent', nullable: true })
  userAgent: string | null;

  /** When its user last gave a second factor to step up; null: not since it began, or since the password was changed. */
  @Column('timestamptz', { name: 'second_factor_at', nullable: true, select: false })
  secondFactorAt?: Date | null;
}

/** A link that was sent and not used. */
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

/** How often something happened under a key in a window. Lost in a crash: see its migration. */
@Entity('rate_limits')
export class RateLimit {
  @PrimaryColumn('varchar', { length: 255 })
  key: string;

  @Column('integer', { default: 0 })
  points: number;

  /** When the window ends, in milliseconds since 1970 by the database's clock. */
  @Column('bigint', { nullable: true })
  expire: number | null;
}
