import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A key that signs receipts, or did. Of those that sign, each JWT_SECRET in use has one. */
@Entity('receipt_keys')
@Index('receipt_keys_active', { synchronize: false })
@Check('receipt_keys_check', '(retired_at IS NULL) = (sealed_private_key IS NOT NULL)')
export class ReceiptKey {
  /** The thumbprint of the public key (RFC 7638). */
  @PrimaryColumn('text')
  kid: string;

  /** Ed25519, base64url. */
  @Column('text', { name: 'public_key' })
  publicKey: string;

  /** Null of a retired key: it is forgotten. */
  @Column('text', { name: 'sealed_private_key', nullable: true })
  sealedPrivateKey: string | null;

  /** Fingerprint of the secret that sealed it; null on keys of releases that kept none. */
  @Column('text', { name: 'sealed_by', nullable: true })
  sealedBy: string | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  /** Null: it signs. */
  @Column('timestamptz', { name: 'retired_at', nullable: true })
  retiredAt: Date | null;
}
