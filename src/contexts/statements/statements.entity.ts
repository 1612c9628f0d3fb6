import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { StatementFormat, StatementStatus } from './statements.domain.js';

/** Rows are a queue. */
@Entity('statements')
@Unique('statements_scope_month_version_key', ['accountId', 'scopeId', 'month', 'version'])
@Index('statements_open', ['createdAt'], { where: `status IN ('waiting', 'making')` })
@Check('statements_status_check', `status IN ('waiting', 'making', 'done', 'failed')`)
@Check('statements_done_check', `status <> 'done' OR opening + received - paid_out + refunded = closing`)
@Check('statements_signature_check', 'is_final OR signature IS NULL')
export class Statement {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid', { name: 'account_id' })
  accountId: string;

  /** A wallet, or the account for all wallets. */
  @Column('uuid', { name: 'scope_id' })
  scopeId: string;

  /** As `2026-11`. */
  @Column('text')
  month: string;

  @Column('integer')
  version: number;

  @Column('text', { name: 'time_zone' })
  timeZone: string;

  @Column('timestamptz', { name: 'starts_at' })
  startsAt: Date;

  /** Exclusive. */
  @Column('timestamptz', { name: 'ends_at' })
  endsAt: Date;

  @Column('boolean', { name: 'is_final' })
  isFinal: boolean;

  @Column('text', { default: 'waiting' })
  status: StatementStatus;

  @Column('bigint', { nullable: true })
  rows: number | null;

  @Column('bigint', { name: 'rows_done', default: 0 })
  rowsDone: number;

  /** In kobo. */
  @Column('bigint', { nullable: true })
  opening: number | null;

  @Column('bigint', { nullable: true })
  received: number | null;

  @Column('bigint', { name: 'paid_out', nullable: true })
  paidOut: number | null;

  @Column('bigint', { nullable: true })
  refunded: number | null;

  @Column('bigint', { nullable: true })
  closing: number | null;

  @Column('bigint', { name: 'pdf_bytes', nullable: true })
  pdfBytes: number | null;

  @Column('text', { name: 'pdf_sha256', nullable: true })
  pdfSha256: string | null;

  @Column('bigint', { name: 'csv_bytes', nullable: true })
  csvBytes: number | null;

  @Column('text', { name: 'csv_sha256', nullable: true })
  csvSha256: string | null;

  @Column('text', { nullable: true })
  signature: string | null;

  @Column('text', { nullable: true })
  problem: string | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;

  @Column('timestamptz', { name: 'ended_at', nullable: true })
  endedAt: Date | null;

  @Column('uuid', { nullable: true })
  lease: string | null;

  @Column('timestamptz', { name: 'leased_until', nullable: true })
  leasedUntil: Date | null;

  @Column('integer', { default: 0 })
  tries: number;
}

@Entity('statement_chunks')
export class StatementChunk {
  @ForeignKey(() => Statement, { name: 'statement_chunks_statement_id_fkey', onDelete: 'CASCADE' })
  @PrimaryColumn('uuid', { name: 'statement_id' })
  statementId: string;

  @PrimaryColumn('text')
  format: StatementFormat;

  @PrimaryColumn('integer')
  place: number;

  @Column('bytea')
  bytes: Buffer;
}

@Entity('statement_mails')
export class StatementMail {
  @PrimaryColumn('uuid', { name: 'user_id' })
  userId: string;

  @Column('uuid', { name: 'account_id' })
  accountId: string;

  @Column('text', { name: 'mailed_month' })
  mailedMonth: string;
}
