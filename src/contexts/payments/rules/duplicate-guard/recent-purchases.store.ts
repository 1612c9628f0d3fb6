import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import type { Tx } from '../../../../platform/database/tx.js';
import { RowStatement } from '../../../../platform/database/row-statement.js';
import { Jobs } from '../../../../platform/jobs/jobs.js';
import {
  GUARD_MINUTES_MAX,
  type NewPurchase,
  type Purchase,
  type PurchaseIdentity,
  purchaseText,
} from './duplicate-guard.domain.js';

const ADD = new RowStatement<NewPurchase>(
  'recent_purchases',
  {
    walletId: 'uuid',
    keyId: 'uuid',
    recipientAccountNo: 'text',
    recipientBankCode: 'text',
    amount: 'bigint',
    seq: 'bigint',
    transactionId: 'uuid',
    approvedAt: 'timestamptz',
  },
  (
    rows,
  ) => `INSERT INTO recent_purchases (wallet_id, key_id, recipient_account_no, recipient_bank_code, amount, seq,
     transaction_id, approved_at) SELECT r.* FROM ${rows}`,
);

const FORGET_EVERY_MS = 60_000;
const FORGOTTEN_AT_ONCE_MAX = 10_000;

@Injectable()
export class RecentPurchasesStore {
  constructor(
    private readonly database: Database,
    jobs: Jobs,
  ) {
    jobs.every(FORGET_EVERY_MS, () => this.forget());
  }

  /** By {@link purchaseText}; one seek each. */
  async newest(purchases: readonly PurchaseIdentity[], tx: Tx): Promise<Map<string, Purchase>> {
    const rows = await tx.query<PurchaseIdentity & Purchase>(
      `SELECT q.wallet_id AS "walletId", q.key_id AS "keyId", q.account AS "recipientAccountNo",
              q.bank AS "recipientBankCode", q.amount, p.transaction_id AS "transactionId", p.approved_at AS at,
              (SELECT t.approval IS NOT DISTINCT FROM 'pending' FROM transactions t
                WHERE t.wallet_id = q.wallet_id AND t.seq = p.seq) AS "isPending"
         FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::bigint[])
              AS q (wallet_id, key_id, account, bank, amount)
        CROSS JOIN LATERAL (
          SELECT r.transaction_id, r.approved_at, r.seq FROM recent_purchases r
           WHERE r.wallet_id = q.wallet_id AND r.key_id = q.key_id AND r.recipient_account_no = q.account
             AND r.recipient_bank_code = q.bank AND r.amount = q.amount
           ORDER BY r.seq DESC LIMIT 1
        ) p`,
      [
        purchases.map(({ walletId }) => walletId),
        purchases.map(({ keyId }) => keyId),
        purchases.map(({ recipientAccountNo }) => recipientAccountNo),
        purchases.map(({ recipientBankCode }) => recipientBankCode),
        purchases.map(({ amount }) => amount),
      ],
    );
    return new Map(
      rows.map(({ transactionId, at, isPending, ...identity }) => [
        purchaseText(identity),
        { transactionId, at, isPending },
      ]),
    );
  }

  add(purchases: readonly NewPurchase[], tx: Tx): void {
    tx.writeRows(ADD, purchases);
  }

  /** Backfills the last `minutes` of a locked wallet, so that a new guard knows earlier purchases. */
  async catchUp(walletId: string, minutes: number, tx: Tx): Promise<void> {
    await tx.query(
      `INSERT INTO recent_purchases (wallet_id, key_id, recipient_account_no, recipient_bank_code, amount, seq,
              transaction_id, approved_at)
       SELECT t.wallet_id, t.key_id, t.recipient_account_no, t.recipient_bank_code, t.amount, t.seq, t.id, t.created_at
         FROM transactions t
        WHERE t.wallet_id = $1 AND t.created_at > statement_timestamp() - $2::integer * interval '1 minute'
          AND t.block_reason IS NULL AND t.key_id IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM refunded_payments r
                           WHERE r.wallet_id = t.wallet_id AND r.transaction_id = t.id)
       ON CONFLICT DO NOTHING`,
      [walletId, minutes],
    );
  }

  /** In bounded pieces. */
  async forget(): Promise<void> {
    let forgotten: unknown[];
    do {
      forgotten = await this.database.query(
        `WITH old AS MATERIALIZED (
           SELECT wallet_id, transaction_id FROM recent_purchases
            WHERE approved_at < statement_timestamp() - $1::integer * interval '1 minute'
            ORDER BY approved_at LIMIT $2 FOR UPDATE SKIP LOCKED
         )
         DELETE FROM recent_purchases p USING old
          WHERE p.wallet_id = old.wallet_id AND p.transaction_id = old.transaction_id RETURNING 1`,
        [GUARD_MINUTES_MAX, FORGOTTEN_AT_ONCE_MAX],
      );
    } while (forgotten.length === FORGOTTEN_AT_ONCE_MAX);
  }
}
