import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { User } from '../identity.entity.js';

export type ChallengePurpose = 'registration' | 'proof';

@Entity('passkeys')
@Unique('passkeys_credential_id_key', ['credentialId'])
@Check('passkeys_counter_check', 'counter >= 0')
export class Passkey {
  @PrimaryColumn('uuid')
  id: string;

  @Index('passkeys_by_user')
  @ForeignKey(() => User, { name: 'passkeys_user_id_fkey' })
  @Column('uuid', { name: 'user_id' })
  userId: string;

  @Column('bytea', { name: 'credential_id' })
  credentialId: Buffer;

  /** COSE. */
  @Column('bytea', { name: 'public_key' })
  publicKey: Buffer;

  /** 0: it counts none. */
  @Column('bigint')
  counter: number;

  @Column('jsonb')
  transports: readonly string[];

  @Column('text')
  name: string;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  @Column('timestamptz', { name: 'last_used_at', nullable: true })
  lastUsedAt: Date | null;
}

@Entity('passkey_challenges')
@Check('passkey_challenges_purpose_check', `purpose IN ('registration', 'proof')`)
export class PasskeyChallenge {
  @PrimaryColumn('bytea')
  challenge: Buffer;

  @Index('passkey_challenges_by_user')
  @ForeignKey(() => User, { name: 'passkey_challenges_user_id_fkey' })
  @Column('uuid', { name: 'user_id' })
  userId: string;

  /** Null: for a sign-in. */
  @Column('uuid', { name: 'session_id', nullable: true })
  sessionId: string | null;

  @Column('text')
  purpose: ChallengePurpose;

  @Index('passkey_challenges_expiry')
  @Column('timestamptz', { name: 'expires_at' })
  expiresAt: Date;
}
