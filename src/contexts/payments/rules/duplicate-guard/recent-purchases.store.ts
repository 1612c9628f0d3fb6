import { Injectable } from '@nestjs/common';
import { filterMap } from '../../../../kernel/mapped.js';
import { Database } from '../../../../platform/database/database.js';
import type { Tx } from '../../../../platform/database/tx.js';
import { RowStatement } from '../../../../platform/database/row-statement.js';
import { Jobs } from '../../../../platform/jobs/jobs.js';
import type { WalletControlsChanged } from '../../../wallet/wallet.events.js';
import type { DecidedAttempt } from '../../spending-wallet.domain.js';
import type { ReleasedPayment, RuleRecords } from '../rule-records.js';
import {
  GUARD_MINUTES_MAX,
  type NewPurchase,
  type Purchase,
  type PurchaseIdentity,
  purchaseIdentity,
} from './duplicate-guard.domain.js';

const ADD = new RowStatement<NewPurchase>(
  'recent_purchases',
  {
    walletId: 'uuid',
    keyId: 'uuid',
    accountNumber: 'text',
    bankCode: 'text',
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
export class RecentPurchasesStore implements RuleRecords {
  constructor(
    private readonly database: Database,
    jobs: Jobs,
  ) {
    jobs.every(FORGET_EVERY_MS, () => this.forget());
  }

  /** One seek each; purchases that nothing repeats are left out. */
  newest(purchases: readonly PurchaseIdentity[], tx: Tx): Promise<(PurchaseIdentity & Purchase)[]> {
    return tx.query<PurchaseIdentity & Purchase>(
      `SELECT q.wallet_id AS "walletId", q.key_id AS "keyId", q.account AS "accountNumber",
              q.bank AS "bankCode", q.amount, p.transaction_id AS "transactionId", p.approved_at AS at,
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
        purchases.map(({ accountNumber }) => accountNumber),
        purchases.map(({ bankCode }) => bankCode),
        purchases.map(({ amount }) => amount),
      ],
    );
  }

  record(attempts: readonly DecidedAttempt[], tx: Tx): void {
    tx.writeRows(ADD, filterMap(attempts, purchaseOf));
  }

  release(payments: readonly ReleasedPayment[], tx: Tx): void {
    tx.write(
      `DELETE FROM recent_purchases p USING unnest($1::uuid[], $2::uuid[]) AS r (wallet_id, id)
        WHERE p.wallet_id = r.wallet_id AND p.transaction_id = r.id`,
      [payments.map(({ walletId }) => walletId), payments.map(({ transactionId }) => transactionId)],
    );
  }

  async changeControls({ walletId, before, after }: WalletControlsChanged, tx: Tx): Promise<void> {
    const minutes = after?.duplicateGuardMinutes ?? 0;
    if (minutes > (before?.duplicateGuardMinutes ?? 0)) await this.backfill(walletId, minutes, tx);
  }

  private async backfill(walletId: string, minutes: number, tx: Tx): Promise<void> {
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

function purchaseOf(attempt: DecidedAttempt): NewPurchase | undefined {
  const { walletId, keyId, seq, id: transactionId, createdAt: approvedAt } = attempt;
  if (attempt.blockReason !== null || keyId === null || !attempt.facts.duplicateGuard) return undefined;
  return { ...purchaseIdentity(walletId, keyId, attempt), seq, transactionId, approvedAt };
}
