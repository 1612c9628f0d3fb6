import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Each JWT_SECRET in use has one signing key at most. */
@Entity('receipt_keys')
@Index('receipt_keys_active', { synchronize: false })
@Check('receipt_keys_check', '(retired_at IS NULL) = (sealed_private_key IS NOT NULL)')
export class ReceiptKey {
  /** RFC 7638 thumbprint. */
  @PrimaryColumn('text')
  kid: string;

  /** Ed25519, base64url. */
  @Column('text', { name: 'public_key' })
  publicKey: string;

  /** Null once retired. */
  @Column('text', { name: 'sealed_private_key', nullable: true })
  sealedPrivateKey: string | null;

  /** Fingerprint of the sealing secret; null on older keys. */
  @Column('text', { name: 'sealed_by', nullable: true })
  sealedBy: string | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  /** Null: it signs. */
  @Column('timestamptz', { name: 'retired_at', nullable: true })
  retiredAt: Date | null;

  /** Set: no receipt under it is valid, whatever time it names. */
  @Column('timestamptz', { name: 'revoked_at', nullable: true })
  revokedAt: Date | null;

  @Column('text', { name: 'revoked_reason', nullable: true })
  revokedReason: string | null;
}

/** Derives the salts of receipts: the oldest that can be opened. */
@Entity('receipt_salt_keys')
export class ReceiptSaltKey {
  @PrimaryColumn('uuid')
  id: string;

  @Column('text', { name: 'sealed_key' })
  sealedKey: string;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;
}
