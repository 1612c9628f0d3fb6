import { Injectable } from '@nestjs/common';
import type { Payout } from '../bank/bank.port.js';
import type { WithdrawalRequested } from '../wallet/wallet.events.js';
import { Database } from '../../platform/database/database.js';
import type { Queryable, Tx } from '../../platform/database/tx.js';
import { RowStatement } from '../../platform/database/row-statement.js';
import { leastIdAt } from '../../kernel/ids.js';
import { KOBO_MAX } from '../../kernel/money.js';
import { isUuid } from '../../kernel/text.js';
import { APPROVAL_TTL_MINUTES_MAX } from '../wallet/wallet.port.js';
import { allSteps, reversalOf } from './settlement.domain.js';
import {
  type OpenSettlements,
  type Settlement,
  Settlements,
  type SettlementStatus,
} from './settlement.port.js';

/**
 * A settlement as stored, which is also the payout that is submitted to the bank. Its reference is the id of the
 * transaction or of the withdrawal: minted once, never changed.
 */
export interface SettlementRow extends Payout {
  readonly walletId: string;
  readonly status: SettlementStatus;
  readonly pollCount: number;
  readonly approvedAt: Date;
  /** An owner takes money out; else an agent pays. */
  readonly isWithdrawal: boolean;
  /** Milliseconds since `approvedAt`, by the database's clock. */
  readonly approvedMsAgo: number;
  /** Milliseconds since it was last submitted to the bank; null when it never was. */
  readonly submittedMsAgo: number | null;
  /**
   * When the caller's lease ends, by the database's clock. While that is on record, no other worker has taken the
   * settlement. Not set where it was only read.
   */
  readonly leasedUntil?: Date | null;
  /** The wallet has the money back. Not set where the settlement was claimed: what can still end is not refunded. */
  readonly isRefunded?: boolean;
}

const SETTLEMENT_COLUMNS = `s.reference, s.wallet_id AS "walletId", s.amount, s.account_no AS "accountNumber",
  s.bank_code AS "bankCode", s.narration, s.status, s.poll_count AS "pollCount", s.approved_at AS "approvedAt",
  s.is_withdrawal AS "isWithdrawal",
  (extract(epoch FROM clock_timestamp() - s.approved_at) * 1000)::bigint AS "approvedMsAgo",
  (extract(epoch FROM clock_timestamp() - s.submitted_at) * 1000)::bigint AS "submittedMsAgo"`;

/**
 * A settlement that is opened. With `leasedUntil` it is `processing` from the first and the caller's until then; after
 * that the bank is asked before anything else. With null it is `pending`, and free for any worker at once.
 */
export interface NewSettlement extends SettlementRow {
  readonly leasedUntil: Date | null;
}

const OPEN_SETTLEMENTS = new RowStatement<
  Pick<NewSettlement, Exclude<keyof Payout, 'sendBefore'> | 'walletId' | 'approvedAt' | 'leasedUntil'>
>(
  'settlements',
  {
    reference: 'uuid',
    walletId: 'uuid',
    amount: 'bigint',
    accountNumber: 'text',
    bankCode: 'text',
    narration: 'text',
    approvedAt: 'timestamptz',
    leasedUntil: 'timestamptz',
  },
  (
    rows,
  ) => `INSERT INTO settlements (reference, wallet_id, amount, account_no, bank_code, narration, steps, approved_at,
       status, submitted_at, next_poll_at)
     SELECT r.reference, r.walletId, r.amount, r.accountNumber, r.bankCode, r.narration, '[]', r.approvedAt,
            CASE WHEN r.leasedUntil IS NULL THEN 'pending' ELSE 'processing' END,
            -- the latest time at which it is sent: a lease is longer than the wait for it and the calls
            r.leasedUntil, coalesce(r.leasedUntil, r.approvedAt)
       FROM ${rows}`,
  [
    ['walletId', 'approvedAt', 'leasedUntil'],
    ['accountNumber', 'bankCode'],
  ],
);

/** How many open settlements, of whatever wallets, are looked at to find those of some. */
const OPEN_LOOKED_AT_MAX = 50_000;

/** SQL: it can still end. */
export const OPEN = `status IN ('pending', 'processing')`;
/** SQL: the wallet has the money back. */
export const IS_REFUNDED = `steps @> '[{"type": "refund.posted"}]'`;

@Injectable()
export class SettlementStore extends Settlements {
  constructor(private readonly database: Database) {
    super();
  }

  /** Opens settlements of payments. */
  open(settlements: readonly NewSettlement[], tx: Tx): void {
    tx.writeRows(OPEN_SETTLEMENTS, settlements);
  }

  /** Opens a settlement for each withdrawal: `pending`, and free for any worker at once. */
  openWithdrawals(withdrawals: readonly WithdrawalRequested[], tx: Tx): void {
    tx.write(
      `INSERT INTO settlements (reference, wallet_id, amount, account_no, bank_code, narration, steps, approved_at,
         next_poll_at, is_withdrawal)
       SELECT w.reference, w.wallet_id, w.amount, w.account_no, w.bank_code, w.narration, '[]', w.approved_at,
              w.approved_at, true
         FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::timestamptz[])
           AS w (reference, wallet_id, amount, account_no, bank_code, narration, approved_at)`,
      [
        withdrawals.map(({ withdrawalId }) => withdrawalId),
        withdrawals.map(({ walletId }) => walletId),
        withdrawals.map(({ amount }) => amount),
        withdrawals.map(({ accountNumber }) => accountNumber),
        withdrawals.map(({ bankCode }) => bankCode),
        withdrawals.map(({ narration }) => narration),
        withdrawals.map(({ at }) => at),
      ],
    );
  }

  /**
   * Gives back settlements that the caller opened for itself and that the bank has not heard of: they are `pending` and
   * due. One whose lease has run out, or soon will, is left alone: another worker may have it.
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
   * Notes when a settlement was last submitted to the bank; committed before the bank hears of it. False: another worker
   * has taken it since, and it must not be sent.
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
   * Takes settlements that are due, oldest first, for `leaseSeconds`: no other worker or replica takes them. `isNew`
   * are those that the bank has not heard of. Of all others the bank must be asked first: that one was taken is
   * committed before the bank hears of it. What is not due yet is not read: `clock_timestamp()`, which changes while a
   * statement runs, would have the whole index read.
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

  /** Delays the next poll of settlements, each by its own number of seconds, unless another worker has taken them. */
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
      `SELECT ${SETTLEMENT_COLUMNS}, s.${IS_REFUNDED} AS "isRefunded" FROM settlements s WHERE s.reference = $1`,
      [reference],
    );
    return row ?? null;
  }

  /**
   * Settlements of payments approved from `from` up to `to`, at most `limit`, in the order of their references and
   * after the reference `after`. References are UUIDs of version 7, so the range is a seek: see {@link firstReference}.
   */
  page(from: Date, to: Date, after: string | null, limit: number): Promise<SettlementRow[]> {
    return this.database.query<SettlementRow>(
      `SELECT ${SETTLEMENT_COLUMNS}, s.${IS_REFUNDED} AS "isRefunded" FROM settlements s
        WHERE s.reference > $3::uuid AND s.reference < $4::uuid AND s.approved_at >= $1 AND s.approved_at < $2
        ORDER BY s.reference LIMIT $5`,
      [from, to, after ?? firstReference(from), lastReference(to), limit],
    );
  }

  async countIn(from: Date, to: Date): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      `SELECT count(*) AS count FROM settlements
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
      `SELECT reference, status, steps, approved_at AS "approvedAt" FROM settlements
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

  /** No index leads to the open ones of a wallet: payments would have to keep it. Those of all wallets are few. */
  async openOf(walletIds: readonly string[]): Promise<OpenSettlements> {
    const [found] = await this.database.reads.query<OpenSettlements>(
      `SELECT count(*) FILTER (WHERE own) AS count, least(coalesce(sum(amount) FILTER (WHERE own), 0), ${KOBO_MAX})::bigint AS amount,
              count(*) = $2 AS "isPartial"
         FROM (SELECT s.amount, s.wallet_id = ANY ($1::uuid[]) AS own FROM settlements s
                WHERE s.next_poll_at IS NOT NULL ORDER BY s.next_poll_at LIMIT $2) open`,
      [walletIds, OPEN_LOOKED_AT_MAX],
    );
    return found as OpenSettlements;
  }

  async statusesOf(
    transactionIds: readonly string[],
    from: Queryable = this.database.reads,
  ): Promise<ReadonlyMap<string, SettlementStatus>> {
    const rows = await from.query<Pick<Settlement, 'reference' | 'status'>>(
      'SELECT reference, status FROM settlements WHERE reference = ANY ($1::uuid[])',
      [transactionIds],
    );
    return new Map(rows.map(({ reference, status }) => [reference, status]));
  }
}

/** How far the clock that made a reference and the database's may be apart, in milliseconds. */
const CLOCKS_APART_MS = 60 * 60_000;

/** How long before its approval a payment may have been given its reference, in milliseconds: it waited for a person. */
const APPROVAL_WAIT_MS_MAX = APPROVAL_TTL_MINUTES_MAX * 60_000;

/** Comes before the reference of every payment that was approved at `from` or later. */
function firstReference(from: Date): string {
  return leastIdAt(Math.max(0, from.getTime() - APPROVAL_WAIT_MS_MAX - CLOCKS_APART_MS));
}

/** Comes after the reference of every payment that was approved before `to`. */
function lastReference(to: Date): string {
  return leastIdAt(Math.max(0, to.getTime() + CLOCKS_APART_MS));
}
