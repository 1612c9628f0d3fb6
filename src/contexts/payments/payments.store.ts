import { Injectable } from '@nestjs/common';
import { type Queryable, type Tx } from '../../platform/database/database.js';
import type { SettlementFailed } from '../settlement/settlement.events.js';
import type { IdempotencyRecord, NewTransaction, Spending } from './spending-wallet.domain.js';

/** A wallet whose spending is asked for; no time before `notBefore` is answered as now. */
export interface SpendingQuery {
  readonly id: string;
  readonly periodWindowDays: number;
  readonly notBefore: Date;
}

/** The columns of a {@link Transaction}, of the table `transactions` under the name `t`. */
export const TRANSACTION_COLUMNS = `t.id, t.wallet_id AS "walletId", t.amount, t.merchant, t.merchant_name AS "merchantName",
  t.recipient_account_no AS "recipientAccountNo", t.recipient_bank_code AS "recipientBankCode", t.reason,
  t.block_reason AS "blockReason", t.facts, t.created_at AS "createdAt"`;

/** What a decision reads and writes. */
@Injectable()
export class PaymentsStore {
  /**
   * The spending of each wallet, in a few index seeks whatever the length of its history: the newest running
   * total, less the total at the start of the window, less the refunds in it. The time is read by this
   * statement, so after the locks that an earlier one took.
   */
  async spending(wallets: readonly SpendingQuery[], from: Queryable): Promise<Map<string, Spending>> {
    type Row = Omit<Spending, 'spentTotal'> & { id: string; spentTotal: string };
    const rows = await from.query<Row>(
      `WITH clock AS MATERIALIZED (SELECT date_trunc('milliseconds', clock_timestamp()) AS now)
       SELECT w.id, clock.now, coalesce(last.seq, 0) AS "lastSeq",
              coalesce(last.spent_total, 0)::text AS "spentTotal",
              coalesce(last.blocked_total, 0) AS "blockedTotal",
              coalesce(last.spent_total, 0) - coalesce(before.spent_total, 0) - refunded.amount AS spent
         FROM unnest($1::uuid[], $2::integer[], $3::timestamptz[]) AS w (id, days, not_before)
        CROSS JOIN LATERAL (SELECT greatest(clock.now, w.not_before) AS now FROM clock) clock
         LEFT JOIN LATERAL (
           SELECT t.seq, t.spent_total, t.blocked_total FROM transactions t
            WHERE t.wallet_id = w.id ORDER BY t.seq DESC LIMIT 1
         ) last ON true
         LEFT JOIN LATERAL (
           SELECT t.spent_total FROM transactions t
            WHERE t.wallet_id = w.id AND t.created_at <= clock.now - w.days * interval '24 hours'
            ORDER BY t.created_at DESC, t.seq DESC LIMIT 1
         ) before ON true
        CROSS JOIN LATERAL (
           SELECT coalesce(sum(r.amount), 0)::bigint AS amount FROM refunded_payments r
            WHERE r.wallet_id = w.id AND r.paid_at > clock.now - w.days * interval '24 hours'
         ) refunded`,
      [
        wallets.map(({ id }) => id),
        wallets.map(({ periodWindowDays }) => periodWindowDays),
        wallets.map(({ notBefore }) => notBefore),
      ],
    );
    return new Map(
      rows.map(({ id, spentTotal, ...row }) => [id, { ...row, spentTotal: BigInt(spentTotal) }]),
    );
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
    const column = <K extends keyof NewTransaction>(name: K) => transactions.map((each) => each[name]);
    tx.write(
      `INSERT INTO transactions (wallet_id, seq, id, amount, merchant, merchant_name, recipient_account_no,
         recipient_bank_code, reason, block_reason, facts, spent_total, blocked_total, created_at, idempotency_key,
         fingerprint)
       SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::uuid[], $4::bigint[], $5::text[], $6::text[], $7::text[],
         $8::text[], $9::text[], $10::text[], $11::jsonb[], $12::bigint[], $13::bigint[],
         $14::timestamptz[], $15::text[], $16::bytea[])`,
      [
        column('walletId'),
        column('seq'),
        column('id'),
        column('amount'),
        column('merchant'),
        column('merchantName'),
        column('recipientAccountNo'),
        column('recipientBankCode'),
        column('reason'),
        column('blockReason'),
        column('facts').map((facts) => JSON.stringify(facts)),
        column('spentTotal'),
        column('blockedTotal'),
        column('createdAt'),
        column('idempotencyKey'),
        column('fingerprint'),
      ],
    );
  }

  /** Refunded spend no longer counts in the period it was spent in. */
  addRefunds(refunds: readonly SettlementFailed[], tx: Tx): void {
    tx.write(
      `INSERT INTO refunded_payments (wallet_id, transaction_id, amount, paid_at)
       SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::timestamptz[])`,
      [
        refunds.map(({ walletId }) => walletId),
        refunds.map(({ reference }) => reference),
        refunds.map(({ amount }) => amount),
        refunds.map(({ paidAt }) => paidAt),
      ],
    );
  }
}
