import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { User } from '../identity.entity.js';

@Entity('two_factors')
export class TwoFactorSecret {
  @PrimaryColumn('uuid', { name: 'user_id' })
  @ForeignKey(() => User, { name: 'two_factors_user_id_fkey' })
  userId: string;

  /** Encrypted, bound to the user. */
  @Column('text', { name: 'sealed_secret' })
  sealedSecret: string;

  /** Null until a first code confirms it. */
  @Column('timestamptz', { name: 'confirmed_at', nullable: true })
  confirmedAt: Date | null;

  @Column('bigint', { name: 'last_step', default: 0 })
  lastStep: number;
}

/** Recovery code; only the SHA-256 is stored. */
@Entity('recovery_codes')
export class RecoveryCode {
  @PrimaryColumn('uuid', { name: 'user_id' })
  @ForeignKey(() => User, { name: 'recovery_codes_user_id_fkey' })
  userId: string;

  @PrimaryColumn('bytea')
  hash: Buffer;
}
