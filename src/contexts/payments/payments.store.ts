import { Injectable } from '@nestjs/common';
import { KOBO_MAX } from '../../kernel/money.js';
import type { Queryable, Tx } from '../../platform/database/database.js';
import { RowStatement } from '../../platform/database/row-statement.js';
import type { SettlementFailed } from '../settlement/settlement.events.js';
import type { IdempotencyRecord, NewTransaction, WindowReading } from './spending-wallet.domain.js';

/** A wallet whose window is asked for. */
export interface WindowQuery {
  readonly id: string;
  readonly periodWindowDays: number;
}

/** The columns of a {@link Transaction}, of the table `transactions` under the name `t`. */
export const TRANSACTION_COLUMNS = `t.id, t.wallet_id AS "walletId", t.amount, t.merchant, t.merchant_name AS "merchantName",
  t.recipient_account_no AS "recipientAccountNo", t.recipient_bank_code AS "recipientBankCode", t.reason,
  t.block_reason AS "blockReason", t.facts, t.created_at AS "createdAt", t.key_id AS "keyId", t.purpose`;

type TransactionRow = Omit<NewTransaction, 'facts'> & { readonly facts: string };

const ADD = new RowStatement<TransactionRow>(
  'transactions',
  {
    walletId: 'uuid',
    seq: 'bigint',
    id: 'uuid',
    amount: 'bigint',
    merchant: 'text',
    merchantName: 'text',
    recipientAccountNo: 'text',
    recipientBankCode: 'text',
    reason: 'text',
    blockReason: 'text',
    facts: 'jsonb',
    spentTotal: 'numeric',
    blockedTotal: 'bigint',
    createdAt: 'timestamptz',
    idempotencyKey: 'text',
    fingerprint: 'bytea',
    keyId: 'uuid',
    purpose: 'text',
  },
  (
    rows,
  ) => `INSERT INTO transactions (wallet_id, seq, id, amount, merchant, merchant_name, recipient_account_no,
     recipient_bank_code, reason, block_reason, facts, spent_total, blocked_total, created_at, idempotency_key,
     fingerprint, key_id, purpose) SELECT r.* FROM ${rows}`,
);

/** What a decision reads and writes. */
@Injectable()
export class PaymentsStore {
  /**
   * What each wallet spent in its window, in a few index seeks whatever the length of its history: the newest running
   * total, less the total at the start of the window, less the refunds in it. The time is read by this statement, so
   * after the locks that an earlier one took. A sum past what a number holds exactly is answered as that bound.
   */
  async windows(wallets: readonly WindowQuery[], from: Queryable): Promise<Map<string, WindowReading>> {
    const rows = await from.query<WindowReading & { id: string }>(
      `WITH clock AS MATERIALIZED (SELECT date_trunc('milliseconds', clock_timestamp()) AS now)
       SELECT w.id, clock.now, w.days, first.created_at AS from,
              least(coalesce(last.spent_total, 0) - coalesce(before.spent_total, 0) - refunded.amount,
                    ${KOBO_MAX})::bigint AS spent
         FROM clock CROSS JOIN unnest($1::uuid[], $2::integer[]) AS w (id, days)
        CROSS JOIN LATERAL (SELECT clock.now - w.days * interval '24 hours' AS start) opening
         LEFT JOIN LATERAL (
           SELECT t.spent_total FROM transactions t WHERE t.wallet_id = w.id ORDER BY t.seq DESC LIMIT 1
         ) last ON true
         LEFT JOIN LATERAL (
           SELECT t.spent_total FROM transactions t WHERE t.wallet_id = w.id AND t.created_at <= opening.start
            ORDER BY t.created_at DESC, t.seq DESC LIMIT 1
         ) before ON true
         LEFT JOIN LATERAL (
           SELECT t.created_at FROM transactions t WHERE t.wallet_id = w.id AND t.created_at > opening.start
            ORDER BY t.created_at, t.seq LIMIT 1
         ) first ON true
        CROSS JOIN LATERAL (
           SELECT coalesce(sum(r.amount), 0) AS amount FROM refunded_payments r
            WHERE r.wallet_id = w.id AND r.approved_at > opening.start
         ) refunded`,
      [wallets.map(({ id }) => id), wallets.map(({ periodWindowDays }) => periodWindowDays)],
    );
    return new Map(rows.map(({ id, ...window }) => [id, window]));
  }

  /** The transactions that these idempotency keys were first used for. */
  async firstUses(
    keys: readonly { walletId: string; idempotencyKey: string }[],
    tx: Tx,
  ): Promise<IdempotencyRecord[]> {
    return tx.query<IdempotencyRecord>(
      `SELECT ${TRANSACTION_COLUMNS}, t.idempotency_key AS "idempotencyKey", t.fingerprint
         FROM unnest($1::uuid[], $2::text[]) AS k (wallet_id, key)
         JOIN transactions t ON t.wallet_id = k.wallet_id AND t.idempotency_key = k.key`,
      [keys.map(({ walletId }) => walletId), keys.map(({ idempotencyKey }) => idempotencyKey)],
    );
  }

  /** Stores attempts of wallets that `tx` has locked. */
  add(transactions: readonly NewTransaction[], tx: Tx): void {
    tx.writeRows(
      ADD,
      transactions.map(({ facts, ...rest }) => ({ ...rest, facts: JSON.stringify(facts) })),
    );
  }

  /** Refunded spend no longer counts in the period it was spent in. */
  addRefunds(refunds: readonly SettlementFailed[], tx: Tx): void {
    tx.write(
      `INSERT INTO refunded_payments (wallet_id, transaction_id, amount, approved_at)
       SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::timestamptz[])`,
      [
        refunds.map(({ walletId }) => walletId),
        refunds.map(({ reference }) => reference),
        refunds.map(({ amount }) => amount),
        refunds.map(({ approvedAt }) => approvedAt),
      ],
    );
  }
}
