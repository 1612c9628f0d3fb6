import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A key that signs receipts, or did. */
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

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  /** Null: it signs. */
  @Column('timestamptz', { name: 'retired_at', nullable: true })
  retiredAt: Date | null;
}
