import { Injectable } from '@nestjs/common';
import type { PaymentApproved } from '../payments/payments.events.js';
import type { WithdrawalRequested } from '../wallet/wallet.events.js';
import { Database } from '../../platform/database/database.js';
import type { Tx } from '../../platform/database/tx.js';
import { RowStatement } from '../../platform/database/row-statement.js';
import type { Kobo } from '../../kernel/money.js';
import { isUuid } from '../../kernel/text.js';
import {
  type Settlement,
  Settlements,
  type SettlementStatus,
  type SettlementStep,
} from './settlement.port.js';

/** A settlement as stored. Its reference is the transaction's id: minted once, never changed. */
export interface SettlementRow {
  readonly reference: string;
  readonly walletId: string;
  readonly amount: Kobo;
  readonly accountNo: string;
  readonly bankCode: string;
  readonly narration: string;
  readonly status: SettlementStatus;
  readonly pollCount: number;
  readonly approvedAt: Date;
  /** An owner takes money out; else an agent pays. */
  readonly isWithdrawal: boolean;
  /** Milliseconds since the payment was approved, by the database's clock. */
  readonly approvedMsAgo: number;
  /** Milliseconds since it was last handed to the bank; null when it never was. */
  readonly submittedMsAgo: number | null;
}

/** A settlement that ends, with the steps that say so. */
export interface Settled {
  readonly reference: string;
  readonly status: SettlementStatus;
  readonly steps: readonly SettlementStep[];
}

const SETTLEMENT_COLUMNS = `s.reference, s.wallet_id AS "walletId", s.amount, s.account_no AS "accountNo",
  s.bank_code AS "bankCode", s.narration, s.status, s.poll_count AS "pollCount", s.approved_at AS "approvedAt",
  s.is_withdrawal AS "isWithdrawal",
  (extract(epoch FROM clock_timestamp() - s.approved_at) * 1000)::bigint AS "approvedMsAgo",
  (extract(epoch FROM clock_timestamp() - s.submitted_at) * 1000)::bigint AS "submittedMsAgo"`;
interface NewSettlement {
  readonly reference: string;
  readonly walletId: string;
  readonly amount: Kobo;
  readonly accountNo: string;
  readonly bankCode: string;
  readonly narration: string;
  readonly steps: string;
  readonly approvedAt: Date;
  readonly leaseSeconds: number | null;
}

const OPEN_SETTLEMENTS = new RowStatement<NewSettlement>(
  'settlements',
  {
    reference: 'uuid',
    walletId: 'uuid',
    amount: 'bigint',
    accountNo: 'text',
    bankCode: 'text',
    narration: 'text',
    steps: 'jsonb',
    approvedAt: 'timestamptz',
    leaseSeconds: 'integer',
  },
  (
    rows,
  ) => `INSERT INTO settlements (reference, wallet_id, amount, account_no, bank_code, narration, steps, approved_at,
       status, submitted_at, next_poll_at)
     SELECT r.reference, r.walletId, r.amount, r.accountNo, r.bankCode, r.narration, r.steps, r.approvedAt,
            CASE WHEN r.leaseSeconds IS NULL THEN 'pending' ELSE 'processing' END,
            -- the latest time at which it is sent: a lease is longer than the wait for it and the call
            CASE WHEN r.leaseSeconds IS NOT NULL THEN clock_timestamp() + r.leaseSeconds * interval '1 second' END,
            CASE WHEN r.leaseSeconds IS NULL THEN r.approvedAt
                 ELSE clock_timestamp() + r.leaseSeconds * interval '1 second' END
       FROM ${rows}`,
);

/** What the recipient reads. */
export function narrationOf({
  reason,
  merchantName,
}: Pick<PaymentApproved, 'reason' | 'merchantName'>): string {
  return reason || merchantName;
}

const OPEN = `status IN ('pending', 'processing')`;

@Injectable()
export class SettlementStore extends Settlements {
  constructor(private readonly database: Database) {
    super();
  }

  /**
   * Opens a settlement for each payment. With `leaseSeconds` it is `processing` from the first and the caller's for so
   * long; whoever finds it after that asks the bank first. With null it is `pending`, and anybody's at once.
   */
  open(payments: readonly PaymentApproved[], leaseSeconds: number | null, tx: Tx): void {
    tx.writeRows(
      OPEN_SETTLEMENTS,
      payments.map(
        ({ transactionId, walletId, amount, recipientAccountNo, recipientBankCode, at, ...payment }) => ({
          reference: transactionId,
          walletId,
          amount,
          accountNo: recipientAccountNo,
          bankCode: recipientBankCode,
          narration: narrationOf(payment),
          steps: JSON.stringify([{ type: 'settlement.started', at, detail: {} }]),
          approvedAt: at,
          leaseSeconds,
        }),
      ),
    );
  }

  /** Opens a settlement for each withdrawal: `pending`, and anybody's at once. */
  openWithdrawals(withdrawals: readonly WithdrawalRequested[], tx: Tx): void {
    tx.write(
      `INSERT INTO settlements (reference, wallet_id, amount, account_no, bank_code, narration, steps, approved_at,
         next_poll_at, is_withdrawal)
       SELECT w.*, w.approved_at, true
         FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::jsonb[],
                $8::timestamptz[])
           AS w (reference, wallet_id, amount, account_no, bank_code, narration, steps, approved_at)`,
      [
        withdrawals.map(({ withdrawalId }) => withdrawalId),
        withdrawals.map(({ walletId }) => walletId),
        withdrawals.map(({ amount }) => amount),
        withdrawals.map(({ accountNumber }) => accountNumber),
        withdrawals.map(({ bankCode }) => bankCode),
        withdrawals.map(({ narration }) => narration),
        withdrawals.map(({ at }) => JSON.stringify([{ type: 'settlement.started', at, detail: {} }])),
        withdrawals.map(({ at }) => at),
      ],
    );
  }

  /**
   * Gives back settlements that the caller opened for itself and that the bank has not heard of: they are `pending` and
   * due. One whose lease has run out, or soon will, is left alone: somebody else may have it.
   */
  async release(references: readonly string[]): Promise<void> {
    await this.database.query(
      `UPDATE settlements SET status = 'pending', submitted_at = NULL, next_poll_at = clock_timestamp()
        WHERE reference = ANY ($1::uuid[]) AND status = 'processing' AND poll_count = 0
          AND next_poll_at > clock_timestamp() + interval '1 second'`,
      [references],
    );
  }

  /** Notes when a settlement was last handed to the bank; committed before the bank hears of it. */
  async recordSubmission(reference: string, msAgo: number): Promise<void> {
    await this.database.query(
      `UPDATE settlements SET submitted_at = clock_timestamp() - $2 * interval '1 millisecond'
        WHERE reference = $1`,
      [reference, msAgo],
    );
  }

  /**
   * Takes settlements that are due, oldest first, for `leaseSeconds`: no other lane or replica takes them. `isNew`
   * are those that the bank has not heard of. Whoever finds one taken must ask the bank first: that it was taken is
   * committed before the bank hears of it.
   */
  claimDue(limit: number, leaseSeconds: number): Promise<(SettlementRow & { readonly isNew: boolean })[]> {
    return this.database.query(
      `UPDATE settlements s SET status = 'processing',
              submitted_at = coalesce(s.submitted_at, clock_timestamp()),
              next_poll_at = clock_timestamp() + $2 * interval '1 second'
         FROM (
           SELECT d.reference, d.wallet_id, d.status = 'pending' AS is_new FROM settlements d
            WHERE d.next_poll_at <= clock_timestamp()
            ORDER BY d.next_poll_at LIMIT $1 FOR UPDATE SKIP LOCKED
         ) due
        WHERE s.reference = due.reference AND s.wallet_id = due.wallet_id
       RETURNING ${SETTLEMENT_COLUMNS}, due.is_new AS "isNew"`,
      [limit, leaseSeconds],
    );
  }

  /** Puts the next poll of open settlements off, each by its own number of seconds. */
  async reschedulePolls(polls: readonly { reference: string; seconds: number }[]): Promise<void> {
    await this.database.query(
      `UPDATE settlements s SET poll_count = s.poll_count + 1,
              next_poll_at = clock_timestamp() + l.seconds * interval '1 second'
         FROM unnest($1::uuid[], $2::integer[]) AS l (reference, seconds)
        WHERE s.reference = l.reference AND s.${OPEN}`,
      [polls.map(({ reference }) => reference), polls.map(({ seconds }) => seconds)],
    );
  }

  /**
   * Locks settlements in the order of their references until `tx` ends; answers the status that each now has. All
   * else of a settlement that a verdict needs was written when it was opened.
   */
  async lock(references: readonly string[], tx: Tx): Promise<ReadonlyMap<string, SettlementStatus>> {
    const rows = await tx.query<{ reference: string; status: SettlementStatus }>(
      `SELECT s.reference, s.status FROM settlements s WHERE s.reference = ANY ($1::uuid[])
        ORDER BY s.reference FOR UPDATE`,
      [references],
    );
    return new Map(rows.map(({ reference, status }) => [reference, status]));
  }

  /** Ends settlements that `tx` has locked. */
  end(settled: readonly Settled[], tx: Tx): void {
    tx.write(
      `UPDATE settlements s SET status = v.status, steps = s.steps || v.steps, next_poll_at = NULL
         FROM unnest($1::uuid[], $2::text[], $3::jsonb[]) AS v (reference, status, steps)
        WHERE s.reference = v.reference AND s.${OPEN}`,
      [
        settled.map(({ reference }) => reference),
        settled.map(({ status }) => status),
        settled.map(({ steps }) => JSON.stringify(steps)),
      ],
    );
  }

  async find(reference: string): Promise<SettlementRow | null> {
    if (!isUuid(reference)) return null;
    const [row] = await this.database.query<SettlementRow>(
      `SELECT ${SETTLEMENT_COLUMNS} FROM settlements s WHERE s.reference = $1`,
      [reference],
    );
    return row ?? null;
  }

  /**
   * Settlements of payments approved from `from` up to `to`, at most `limit`, in the order of their references and
   * after the reference `after`. References are UUIDs of version 7, so the range is a seek.
   */
  page(from: Date, to: Date, after: string | null, limit: number): Promise<SettlementRow[]> {
    return this.database.query<SettlementRow>(
      `SELECT ${SETTLEMENT_COLUMNS} FROM settlements s
        WHERE s.reference > $3::uuid AND s.reference < $4::uuid AND s.approved_at >= $1 AND s.approved_at < $2
        ORDER BY s.reference LIMIT $5`,
      [
        from,
        to,
        after ?? uuidAt(from.getTime() - CLOCKS_APART_MS),
        uuidAt(to.getTime() + CLOCKS_APART_MS),
        limit,
      ],
    );
  }

  async countIn(from: Date, to: Date): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      `SELECT count(*) AS count FROM settlements
        WHERE reference > $3::uuid AND reference < $4::uuid AND approved_at >= $1 AND approved_at < $2`,
      [from, to, uuidAt(from.getTime() - CLOCKS_APART_MS), uuidAt(to.getTime() + CLOCKS_APART_MS)],
    );
    return row?.count ?? 0;
  }

  async of(transactionIds: readonly string[]): Promise<ReadonlyMap<string, Settlement>> {
    const rows = await this.database.reads.query<Settlement>(
      'SELECT reference, status, steps FROM settlements WHERE reference = ANY ($1::uuid[])',
      [transactionIds],
    );
    return new Map(rows.map((row) => [row.reference, row]));
  }

  async statusesOf(transactionIds: readonly string[]): Promise<ReadonlyMap<string, SettlementStatus>> {
    const rows = await this.database.reads.query<Pick<Settlement, 'reference' | 'status'>>(
      'SELECT reference, status FROM settlements WHERE reference = ANY ($1::uuid[])',
      [transactionIds],
    );
    return new Map(rows.map(({ reference, status }) => [reference, status]));
  }
}

/** How far the clock that made a reference and the database's may be apart, in milliseconds. */
const CLOCKS_APART_MS = 60 * 60_000;

/** The smallest UUID of version 7 that a clock at `ms` since 1970 makes. */
function uuidAt(ms: number): string {
  const hex = Math.max(0, ms).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}
