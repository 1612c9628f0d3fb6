import { Check, Column, Entity, PrimaryColumn } from 'typeorm';
import type { FileType } from './files.domain.js';

@Entity('payment_files')
@Check('payment_files_size_check', 'size BETWEEN 1 AND 5242880 AND octet_length(bytes) = size')
export class PaymentFile {
  @PrimaryColumn('uuid', { name: 'wallet_id' })
  walletId: string;

  @PrimaryColumn('uuid', { name: 'transaction_id' })
  transactionId: string;

  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid', { name: 'account_id' })
  accountId: string;

  @Column('text')
  name: string;

  @Column('text')
  type: FileType;

  @Column('integer')
  size: number;

  /** Hex. */
  @Column('text')
  sha256: string;

  @Column('uuid', { name: 'added_by' })
  addedBy: string;

  @Column('text', { name: 'added_by_email', nullable: true })
  addedByEmail: string | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  @Column('bytea', { select: false })
  bytes: Buffer;
}

@Entity('payment_file_totals')
@Check('payment_file_totals_bytes_check', 'bytes >= 0')
export class PaymentFileTotal {
  @PrimaryColumn('uuid', { name: 'account_id' })
  accountId: string;

  @Column('bigint')
  bytes: number;
}
