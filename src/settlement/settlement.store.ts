import { Injectable } from '@nestjs/common';
import { Database, type Tx } from '../shared/database.js';
import type { Kobo } from '../shared/money.js';
import type { PaymentApproved } from '../payments/payments.contract.js';
import {
  type Settlement,
  Settlements,
  type SettlementStatus,
  type SettlementStep,
} from './settlement.contract.js';

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
}

/** A settlement that reaches `status`, with the steps that lead there. */
export interface Settled {
  readonly reference: string;
  readonly status: SettlementStatus;
  readonly steps: readonly SettlementStep[];
}

const SETTLEMENT = `s.reference, s.wallet_id AS "walletId", s.amount, s.account_no AS "accountNo",
  s.bank_code AS "bankCode", s.narration, s.status, s.looks, s.paid_at AS "paidAt"`;
const OPEN = `status IN ('pending', 'processing')`;

@Injectable()
export class SettlementStore extends Settlements {
  constructor(private readonly database: Database) {
    super();
  }

  /** Opens a settlement for each payment; `graceSeconds` is how long the job that pays out may take to start. */
  async open(payments: readonly PaymentApproved[], graceSeconds: number, tx: Tx): Promise<void> {
    await tx.query(
      `INSERT INTO settlements (reference, wallet_id, amount, account_no, bank_code, narration, steps, paid_at,
         next_look_at)
       SELECT p.*, p.paid_at + $8 * interval '1 second'
         FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::jsonb[],
                $9::timestamptz[]) AS p (reference, wallet_id, amount, account_no, bank_code, narration, steps, paid_at)`,
      [
        payments.map(({ transactionId }) => transactionId),
        payments.map(({ walletId }) => walletId),
        payments.map(({ amount }) => amount),
        payments.map(({ recipientAccountNo }) => recipientAccountNo),
        payments.map(({ recipientBankCode }) => recipientBankCode),
        payments.map(({ reason, merchantName }) => reason ?? merchantName),
        payments.map(({ at }) => JSON.stringify([{ type: 'settlement.started', at, detail: {} }])),
        graceSeconds,
        payments.map(({ at }) => at),
      ],
    );
  }

  /** Takes those of these settlements that nobody has handed to the bank yet, and notes that this is happening. */
  claim(references: readonly string[], lookAgainSeconds: number): Promise<SettlementRow[]> {
    return this.database.query<SettlementRow>(
      `UPDATE settlements s SET status = 'processing',
              next_look_at = clock_timestamp() + $2 * interval '1 second'
        WHERE s.reference = ANY ($1::uuid[]) AND s.status = 'pending' RETURNING ${SETTLEMENT}`,
      [references, lookAgainSeconds],
    );
  }

  /** Takes settlements whose next look is due, oldest first, for `leaseSeconds`: no other replica takes them. */
  claimDue(limit: number, leaseSeconds: number): Promise<SettlementRow[]> {
    return this.database.query<SettlementRow>(
      `UPDATE settlements s SET next_look_at = clock_timestamp() + $2 * interval '1 second', looks = s.looks + 1
        WHERE (s.reference, s.wallet_id) IN (
          SELECT d.reference, d.wallet_id FROM settlements d
           WHERE d.${OPEN} AND d.next_look_at <= clock_timestamp()
           ORDER BY d.next_look_at LIMIT $1 FOR UPDATE SKIP LOCKED)
       RETURNING ${SETTLEMENT}`,
      [limit, leaseSeconds],
    );
  }

  /** Puts the next look at a settlement off by `seconds`. */
  async lookAgain(reference: string, seconds: number): Promise<void> {
    await this.database.query(
      `UPDATE settlements SET status = 'processing', next_look_at = clock_timestamp() + $2 * interval '1 second'
        WHERE reference = $1 AND ${OPEN}`,
      [reference, seconds],
    );
  }

  /**
   * Moves open settlements to where they end; answers those that moved. One that is final already stays as it is,
   * so a verdict that arrives twice settles once. Rows are locked in the order of their references.
   */
  settle(settled: readonly Settled[], tx: Tx): Promise<SettlementRow[]> {
    return tx.query<SettlementRow>(
      `WITH verdict AS (
         SELECT v.reference, v.status, v.steps FROM unnest($1::uuid[], $2::text[], $3::jsonb[])
             AS v (reference, status, steps)
       ), open AS MATERIALIZED (
         SELECT s.reference FROM settlements s JOIN verdict v USING (reference)
          WHERE s.${OPEN} ORDER BY s.reference FOR UPDATE OF s
       )
       UPDATE settlements s SET status = v.status, steps = s.steps || v.steps
         FROM verdict v JOIN open USING (reference)
        WHERE s.reference = v.reference RETURNING ${SETTLEMENT}`,
      [
        settled.map(({ reference }) => reference),
        settled.map(({ status }) => status),
        settled.map(({ steps }) => JSON.stringify(steps)),
      ],
    );
  }

  async of(transactionIds: readonly string[]): Promise<ReadonlyMap<string, Settlement>> {
    const rows = await this.database.query<Settlement>(
      'SELECT reference, status, steps FROM settlements WHERE reference = ANY ($1::uuid[])',
      [transactionIds],
    );
    return new Map(rows.map((row) => [row.reference, row]));
  }
}
