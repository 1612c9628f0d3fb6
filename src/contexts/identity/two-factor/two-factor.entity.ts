import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { User } from '../identity.entity.js';

/** The second factor of a user: the secret that the user's app makes codes from. */
@Entity('two_factors')
export class TwoFactorSecret {
  @PrimaryColumn('uuid', { name: 'user_id' })
  @ForeignKey(() => User, { name: 'two_factors_user_id_fkey' })
  userId: string;

  /** Encrypted, and bound to the user. */
  @Column('text', { name: 'sealed_secret' })
  sealedSecret: string;

  /** Null until a first code proved that the owner's app has the secret: only then it is asked for. */
  @Column('timestamptz', { name: 'confirmed_at', nullable: true })
  confirmedAt: Date | null;

  /** The time step of the last code that was taken. */
  @Column('bigint', { name: 'last_step', default: 0 })
  lastStep: number;
}

/** A code that takes the place of the app once. Only its SHA-256 is stored; it has 80 random bits. */
@Entity('recovery_codes')
export class RecoveryCode {
  @PrimaryColumn('uuid', { name: 'user_id' })
  @ForeignKey(() => TwoFactorSecret, { name: 'recovery_codes_user_id_fkey', onDelete: 'CASCADE' })
  userId: string;

  @PrimaryColumn('bytea')
  hash: Buffer;
}
