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

/** A settlement, which is also the payout sent to the bank. */
export interface SettlementRow extends Payout {
  readonly walletId: string;
  readonly status: SettlementStatus;
  readonly pollCount: number;
  readonly approvedAt: Date;
  readonly isWithdrawal: boolean;
  /** By the database's clock. */
  readonly approvedMsAgo: number;
  /** Null: never. */
  readonly submittedMsAgo: number | null;
  /** End of the caller's lease, by the database's clock. Set only if claimed. */
  readonly leasedUntil?: Date | null;
  /** Set only if read, not claimed. */
  readonly isRefunded?: boolean;
}

const SETTLEMENT_COLUMNS = `s.reference, s.wallet_id AS "walletId", s.amount, s.account_no AS "accountNumber",
  s.bank_code AS "bankCode", s.narration, s.status, s.poll_count AS "pollCount", s.approved_at AS "approvedAt",
  s.is_withdrawal AS "isWithdrawal",
  (extract(epoch FROM clock_timestamp() - s.approved_at) * 1000)::bigint AS "approvedMsAgo",
  (extract(epoch FROM clock_timestamp() - s.submitted_at) * 1000)::bigint AS "submittedMsAgo"`;

/** With `leasedUntil`, `processing` and the caller's until then. Null: `pending`, free for any worker. */
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

/** Open settlements of all wallets read to find those of some. */
const OPEN_LOOKED_AT_MAX = 50_000;

export const OPEN = `status IN ('pending', 'processing')`;
export const IS_REFUNDED = `steps @> '[{"type": "refund.posted"}]'`;

@Injectable()
export class SettlementStore extends Settlements {
  constructor(private readonly database: Database) {
    super();
  }

  open(settlements: readonly NewSettlement[], tx: Tx): void {
    tx.writeRows(OPEN_SETTLEMENTS, settlements);
  }

  /** Free for any worker. */
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

  /** Releases settlements the bank has not heard of, unless their lease ends within a second. */
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
   * Records a submission, committed before the bank hears of it. False: another worker has it, do not send.
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
   * Claims due settlements, oldest first, for `leaseSeconds`. `isNew`: the bank has not heard of them; all
   * others must be polled first. Sought by `statement_timestamp()`, as `clock_timestamp()` would read the
   * whole index.
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

  /** Delays polls, unless another worker has the settlement. */
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
   * By reference, after `after`. References are UUIDs v7, so the range is a seek: see {@link firstReference}.
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

  /** Reads those of all wallets, which are few: an index per wallet would burden payments. */
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

/** Largest difference between clocks, in milliseconds. */
const CLOCKS_APART_MS = 60 * 60_000;

/** Longest time from a reference to its approval, in milliseconds. */
const APPROVAL_WAIT_MS_MAX = APPROVAL_TTL_MINUTES_MAX * 60_000;

/** Precedes every payment approved at `from` or later. */
function firstReference(from: Date): string {
  return leastIdAt(Math.max(0, from.getTime() - APPROVAL_WAIT_MS_MAX - CLOCKS_APART_MS));
}

/** Follows every payment approved before `to`. */
function lastReference(to: Date): string {
  return leastIdAt(Math.max(0, to.getTime() + CLOCKS_APART_MS));
}
