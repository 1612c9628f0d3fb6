import { Injectable } from '@nestjs/common';
import type { Payout } from '../bank/bank.port.js';
import { Database } from '../../platform/database/database.js';
import type { Queryable, Tx } from '../../platform/database/tx.js';
import { RowStatement } from '../../platform/database/row-statement.js';
import { KOBO_MAX } from '../../kernel/money.js';
import { isUuid } from '../../kernel/text.js';
import { allSteps, firstReference, lastReference, reversalOf } from './settlement.domain.js';
import {
  type BookedPayout,
  type OpenSettlements,
  type Settlement,
  Settlements,
  type SettlementStatus,
} from './settlement.port.js';
import { ALL_SETTLEMENTS } from './settlement-archive.store.js';

/** Stored settlement, which is also the payout that is submitted to the bank. */
export interface SettlementRow extends Payout {
  readonly walletId: string;
  readonly status: SettlementStatus;
  readonly pollCount: number;
  readonly approvedAt: Date;
  /** True for an owner's withdrawal, false for an agent's payment. */
  readonly isWithdrawal: boolean;
  /** By the database's clock. */
  readonly approvedMsAgo: number;
  /** Null if never submitted. */
  readonly submittedMsAgo: number | null;
  /**
   * End of the caller's lease, by the database's clock. Another worker's claim changes the stored value. Not set if
   * the row was only read.
   */
  leasedUntil?: Date | null;
  /** Moves with the lease. */
  sendBefore?: number;
  /** Not set on claimed rows: an open settlement is never refunded. */
  readonly isRefunded?: boolean;
}

interface OpenByStatus {
  readonly status: SettlementStatus;
  readonly count: number;
  /** The greatest. */
  readonly ageSeconds: number;
}

export const SETTLEMENT_COLUMNS = `s.reference, s.wallet_id AS "walletId", s.amount, s.account_no AS "accountNumber",
  s.bank_code AS "bankCode", s.narration, s.status, s.poll_count AS "pollCount", s.approved_at AS "approvedAt",
  s.is_withdrawal AS "isWithdrawal", s.request_id AS "requestId", s.trace_parent AS "traceParent",
  (extract(epoch FROM clock_timestamp() - s.approved_at) * 1000)::bigint AS "approvedMsAgo",
  (extract(epoch FROM clock_timestamp() - s.submitted_at) * 1000)::bigint AS "submittedMsAgo"`;

/** Settlement to open: `processing` under this process's lease, or `pending` and due at once if `leasedUntil` is null. */
export interface NewSettlement
  extends
    Required<Omit<Payout, 'sendBefore'>>,
    Pick<SettlementRow, 'walletId' | 'approvedAt' | 'isWithdrawal'> {
  readonly leasedUntil: Date | null;
}

const OPEN_SETTLEMENTS = new RowStatement<NewSettlement>(
  'settlements',
  {
    reference: 'uuid',
    walletId: 'uuid',
    amount: 'bigint',
    accountNumber: 'text',
    bankCode: 'text',
    narration: 'text',
    isWithdrawal: 'boolean',
    approvedAt: 'timestamptz',
    leasedUntil: 'timestamptz',
    requestId: 'text',
    traceParent: 'text',
  },
  (
    rows,
  ) => `INSERT INTO settlements (reference, wallet_id, amount, account_no, bank_code, narration, is_withdrawal, steps,
       approved_at, status, submitted_at, next_poll_at, request_id, trace_parent)
     SELECT r.reference, r.walletId, r.amount, r.accountNumber, r.bankCode, r.narration, r.isWithdrawal, '[]', r.approvedAt,
            CASE WHEN r.leasedUntil IS NULL THEN 'pending' ELSE 'processing' END,
            -- the latest time at which it is sent: a lease is longer than the wait for it and the calls
            r.leasedUntil, coalesce(r.leasedUntil, r.approvedAt), r.requestId, r.traceParent
       FROM ${rows}`,
);

const OPEN_SCANNED_MAX = 50_000;

export const OPEN = `status IN ('pending', 'processing')`;
export const IS_REFUNDED = `steps @> '[{"type": "refund.posted"}]'`;

@Injectable()
export class SettlementStore implements Settlements {
  constructor(private readonly database: Database) {}

  open(settlements: readonly NewSettlement[], tx: Tx): void {
    tx.writeRows(OPEN_SETTLEMENTS, settlements);
  }

  /**
   * Returns unsent settlements of this process to `pending`, except where the lease ends within a second:
   * another worker may have taken those.
   */
  async release(settlements: readonly Pick<SettlementRow, 'reference' | 'leasedUntil'>[]): Promise<void> {
    await this.database.query(
      `UPDATE settlements s SET status = 'pending', submitted_at = NULL, next_poll_at = clock_timestamp()
         FROM unnest($1::uuid[], $2::timestamptz[]) AS l (reference, leased_until)
        WHERE s.reference = l.reference AND s.next_poll_at = l.leased_until AND s.status = 'processing'
          AND s.poll_count = 0 AND s.next_poll_at > clock_timestamp() + interval '1 second'`,
      [
        settlements.map(({ reference }) => reference),
        settlements.map(({ leasedUntil }) => leasedUntil?.toISOString()),
      ],
    );
  }

  /**
   * Records a submission, before the bank receives it. False if another worker has taken the settlement: do not send
   * it.
   */
  async recordSubmission(
    { reference, leasedUntil }: Pick<SettlementRow, 'reference' | 'leasedUntil'>,
    msAgo: number,
  ): Promise<boolean> {
    const noted = await this.database.query(
      `UPDATE settlements SET submitted_at = clock_timestamp() - $2 * interval '1 millisecond'
        WHERE reference = $1 AND next_poll_at = $3 RETURNING 1`,
      [reference, msAgo, leasedUntil],
    );
    return noted.length > 0;
  }

  /**
   * Leases due settlements, oldest first. Unless `isNew`, the caller must ask the bank first. PostgreSQL
   * searches no index by `clock_timestamp()`.
   */
  claimDue(limit: number, leaseSeconds: number): Promise<(SettlementRow & { readonly isNew: boolean })[]> {
    return this.database.query(
      `UPDATE settlements s SET status = 'processing',
              submitted_at = coalesce(s.submitted_at, clock_timestamp()),
              next_poll_at = date_trunc('milliseconds', clock_timestamp()) + $2 * interval '1 second'
         FROM (
           SELECT d.reference, d.wallet_id, d.status = 'pending' AS is_new FROM settlements d
            WHERE d.next_poll_at <= statement_timestamp()
            ORDER BY d.next_poll_at LIMIT $1 FOR UPDATE SKIP LOCKED
         ) due
        WHERE s.reference = due.reference AND s.wallet_id = due.wallet_id
       RETURNING ${SETTLEMENT_COLUMNS}, s.next_poll_at AS "leasedUntil", due.is_new AS "isNew"`,
      [limit, leaseSeconds],
    );
  }

  /** Returns the new ends of the leases that the caller still had, by reference. */
  async renew(
    leases: readonly Pick<SettlementRow, 'reference' | 'leasedUntil'>[],
    leaseSeconds: number,
  ): Promise<ReadonlyMap<string, Date>> {
    const renewed = await this.database.query<{ reference: string; leasedUntil: Date }>(
      `UPDATE settlements s
          SET next_poll_at = date_trunc('milliseconds', clock_timestamp()) + $3 * interval '1 second'
         FROM unnest($1::uuid[], $2::timestamptz[]) AS l (reference, leased_until)
        WHERE s.reference = l.reference AND s.next_poll_at = l.leased_until AND s.${OPEN}
       RETURNING s.reference, s.next_poll_at AS "leasedUntil"`,
      [
        leases.map(({ reference }) => reference),
        leases.map(({ leasedUntil }) => leasedUntil?.toISOString()),
        leaseSeconds,
      ],
    );
    return new Map(renewed.map(({ reference, leasedUntil }) => [reference, leasedUntil]));
  }

  async reschedulePolls(
    polls: readonly (Pick<SettlementRow, 'reference' | 'leasedUntil'> & { readonly seconds: number })[],
  ): Promise<void> {
    await this.database.query(
      `UPDATE settlements s SET poll_count = s.poll_count + 1,
              next_poll_at = clock_timestamp() + l.seconds * interval '1 second'
         FROM unnest($1::uuid[], $2::integer[], $3::timestamptz[]) AS l (reference, seconds, leased_until)
        WHERE s.reference = l.reference AND s.next_poll_at = l.leased_until AND s.${OPEN}`,
      [
        polls.map(({ reference }) => reference),
        polls.map(({ seconds }) => seconds),
        polls.map(({ leasedUntil }) => leasedUntil?.toISOString()),
      ],
    );
  }

  async find(reference: string): Promise<SettlementRow | null> {
    if (!isUuid(reference)) return null;
    const [row] = await this.database.query<SettlementRow>(
      `SELECT ${SETTLEMENT_COLUMNS}, s.${IS_REFUNDED} AS "isRefunded" FROM ${ALL_SETTLEMENTS} s WHERE s.reference = $1`,
      [reference],
    );
    return row ?? null;
  }

  /**
   * Payments approved from `from` up to `to`, ordered by reference, after `after`. References are UUIDs v7: the range
   * is an index seek in each table.
   */
  page(from: Date, to: Date, after: string | null, limit: number): Promise<SettlementRow[]> {
    const pageOf = (table: string) =>
      `(SELECT reference FROM ${table} WHERE reference > $3::uuid AND reference < $4::uuid
           AND approved_at >= $1 AND approved_at < $2 ORDER BY reference LIMIT $5)`;
    return this.database.query<SettlementRow>(
      `SELECT ${SETTLEMENT_COLUMNS}, s.${IS_REFUNDED} AS "isRefunded" FROM ${ALL_SETTLEMENTS} s
        WHERE s.reference = ANY (ARRAY(SELECT reference FROM (${pageOf('settlements')} UNION ALL
              ${pageOf('archived_settlements')}) r ORDER BY reference LIMIT $5))
        ORDER BY s.reference`,
      [from, to, after ?? firstReference(from), lastReference(to), limit],
    );
  }

  async countIn(from: Date, to: Date): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      `SELECT count(*) AS count FROM ${ALL_SETTLEMENTS} s
        WHERE reference > $3::uuid AND reference < $4::uuid AND approved_at >= $1 AND approved_at < $2`,
      [from, to, firstReference(from), lastReference(to)],
    );
    return row?.count ?? 0;
  }

  async of(
    transactionIds: readonly string[],
    from: Queryable = this.database.reads,
  ): Promise<ReadonlyMap<string, Settlement>> {
    const rows = await from.query<Settlement & { readonly approvedAt: Date }>(
      `SELECT reference, status, steps, approved_at AS "approvedAt" FROM ${ALL_SETTLEMENTS} s
        WHERE reference = ANY ($1::uuid[])`,
      [transactionIds],
    );
    return new Map(
      rows.map(({ reference, status, steps, approvedAt }) => [
        reference,
        { reference, status, steps: allSteps(approvedAt, steps), reversal: reversalOf({ status, steps }) },
      ]),
    );
  }

  /** By status, of {@link OPEN_SCANNED_MAX} at most. */
  openByStatus(from: Queryable): Promise<OpenByStatus[]> {
    return from.query<OpenByStatus>(
      `SELECT status, count(*), extract(epoch FROM clock_timestamp() - min(approved_at))::float8 AS "ageSeconds"
         FROM (SELECT status, approved_at FROM settlements WHERE next_poll_at IS NOT NULL
                ORDER BY next_poll_at LIMIT ${OPEN_SCANNED_MAX}) open
        GROUP BY status`,
    );
  }

  /** Scans all open settlements, which are few: an index by wallet would slow payments down. */
  async openOf(walletIds: readonly string[]): Promise<OpenSettlements> {
    const [found] = await this.database.reads.query<OpenSettlements>(
      `SELECT count(*) FILTER (WHERE own) AS count, least(coalesce(sum(amount) FILTER (WHERE own), 0), ${KOBO_MAX})::bigint AS amount,
              count(*) = $2 AS "isPartial"
         FROM (SELECT s.amount, s.wallet_id = ANY ($1::uuid[]) AS own FROM settlements s
                WHERE s.next_poll_at IS NOT NULL ORDER BY s.next_poll_at LIMIT $2) open`,
      [walletIds, OPEN_SCANNED_MAX],
    );
    return found as OpenSettlements;
  }

  async openReferences(walletIds: readonly string[]): Promise<readonly string[] | null> {
    const [found] = await this.database.reads.query<{ own: string[] | null; read: number }>(
      `SELECT array_agg(reference) FILTER (WHERE wallet_id = ANY ($1::uuid[])) AS own, count(*) AS read
         FROM (SELECT s.reference, s.wallet_id FROM settlements s
                WHERE s.next_poll_at IS NOT NULL ORDER BY s.next_poll_at LIMIT $2) open`,
      [walletIds, OPEN_SCANNED_MAX],
    );
    return found && found.read < OPEN_SCANNED_MAX ? (found.own ?? []) : null;
  }

  async booked(references: readonly string[], from: Queryable): Promise<ReadonlyMap<string, BookedPayout>> {
    const rows = await from.query<BookedPayout & { readonly reference: string }>(
      `SELECT reference, wallet_id AS "walletId", amount, status = 'failed' OR ${IS_REFUNDED} AS "isRefunded"
         FROM ${ALL_SETTLEMENTS} s WHERE reference = ANY ($1::uuid[])`,
      [references],
    );
    return new Map(rows.map((row) => [row.reference, row]));
  }

  async statusesOf(
    transactionIds: readonly string[],
    from: Queryable = this.database.reads,
  ): Promise<ReadonlyMap<string, SettlementStatus>> {
    const rows = await from.query<Pick<Settlement, 'reference' | 'status'>>(
      `SELECT reference, status FROM ${ALL_SETTLEMENTS} s WHERE reference = ANY ($1::uuid[])`,
      [transactionIds],
    );
    return new Map(rows.map(({ reference, status }) => [reference, status]));
  }
}
