import { Injectable } from '@nestjs/common';
import type { PaymentApproved } from '../payments/payments.events.js';
import { Database, type Tx } from '../../platform/database/database.js';
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
  readonly looks: number;
  readonly paidAt: Date;
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
  s.bank_code AS "bankCode", s.narration, s.status, s.looks, s.paid_at AS "paidAt",
  (extract(epoch FROM clock_timestamp() - s.paid_at) * 1000)::bigint AS "approvedMsAgo",
  (extract(epoch FROM clock_timestamp() - s.handed_over_at) * 1000)::bigint AS "submittedMsAgo"`;
const OPEN = `status IN ('pending', 'processing')`;

@Injectable()
export class SettlementStore extends Settlements {
  constructor(private readonly database: Database) {
    super();
  }

  /** Opens a settlement for each payment, due at once. */
  open(payments: readonly PaymentApproved[], tx: Tx): void {
    tx.write(
      `INSERT INTO settlements (reference, wallet_id, amount, account_no, bank_code, narration, steps, paid_at,
         next_look_at)
       SELECT p.*, p.paid_at
         FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::jsonb[],
                $8::timestamptz[]) AS p (reference, wallet_id, amount, account_no, bank_code, narration, steps, paid_at)`,
      [
        payments.map(({ transactionId }) => transactionId),
        payments.map(({ walletId }) => walletId),
        payments.map(({ amount }) => amount),
        payments.map(({ recipientAccountNo }) => recipientAccountNo),
        payments.map(({ recipientBankCode }) => recipientBankCode),
        payments.map(({ reason, merchantName }) => reason || merchantName),
        payments.map(({ at }) => JSON.stringify([{ type: 'settlement.started', at, detail: {} }])),
        payments.map(({ at }) => at),
      ],
    );
  }

  /** Notes when a settlement was last handed to the bank; committed before the bank hears of it. */
  async recordSubmission(reference: string, msAgo: number): Promise<void> {
    await this.database.query(
      `UPDATE settlements SET handed_over_at = clock_timestamp() - $2 * interval '1 millisecond'
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
              handed_over_at = coalesce(s.handed_over_at, clock_timestamp()),
              next_look_at = clock_timestamp() + $2 * interval '1 second'
         FROM (
           SELECT d.reference, d.wallet_id, d.status = 'pending' AS is_new FROM settlements d
            WHERE d.next_look_at <= clock_timestamp()
            ORDER BY d.next_look_at LIMIT $1 FOR UPDATE SKIP LOCKED
         ) due
        WHERE s.reference = due.reference AND s.wallet_id = due.wallet_id
       RETURNING ${SETTLEMENT_COLUMNS}, due.is_new AS "isNew"`,
      [limit, leaseSeconds],
    );
  }

  /** Puts the next look at open settlements off, each by its own number of seconds. */
  async reschedulePolls(looks: readonly { reference: string; seconds: number }[]): Promise<void> {
    await this.database.query(
      `UPDATE settlements s SET looks = s.looks + 1,
              next_look_at = clock_timestamp() + l.seconds * interval '1 second'
         FROM unnest($1::uuid[], $2::integer[]) AS l (reference, seconds)
        WHERE s.reference = l.reference AND s.${OPEN}`,
      [looks.map(({ reference }) => reference), looks.map(({ seconds }) => seconds)],
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
      `UPDATE settlements s SET status = v.status, steps = s.steps || v.steps, next_look_at = NULL
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
        WHERE s.reference > $3::uuid AND s.reference < $4::uuid AND s.paid_at >= $1 AND s.paid_at < $2
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
        WHERE reference > $3::uuid AND reference < $4::uuid AND paid_at >= $1 AND paid_at < $2`,
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
}

/** How far the clock that made a reference and the database's may be apart, in milliseconds. */
const CLOCKS_APART_MS = 60 * 60_000;

/** The smallest UUID of version 7 that a clock at `ms` since 1970 makes. */
function uuidAt(ms: number): string {
  const hex = Math.max(0, ms).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}
