import { Injectable } from '@nestjs/common';
import { KOBO_MAX } from '../../kernel/money.js';
import type { Queryable, Tx } from '../../platform/database/tx.js';
import { RowStatement } from '../../platform/database/row-statement.js';
import { DETAIL_COLUMNS } from './payments.entity.js';
import type { PaymentDetails } from './payments.events.js';
import type {
  HistoryReading,
  IdempotencyRecord,
  NewTransaction,
  WindowReading,
} from './spending-wallet.domain.js';

export interface WindowQuery {
  readonly id: string;
  readonly periodWindowDays: number;
}

export interface HistoryRef {
  readonly walletId: string;
  readonly id: string;
}

export interface StoredWindow extends WindowReading {
  readonly held: number;
}

/** SQL: facts of a row of `transactions`. */
export const storedFacts = (row: string): string =>
  `CASE json_typeof(${row}.facts) WHEN 'null' THEN archived_facts(${row}.id) ELSE ${row}.facts END`;

export const TRANSACTION_COLUMNS = `t.id, t.wallet_id AS "walletId",
  ${DETAIL_COLUMNS.map(({ name, column }) => `t.${column} AS "${name}"`).join(', ')},
  t.block_reason AS "blockReason", ${storedFacts('t')} AS facts, t.created_at AS "createdAt", t.key_id AS "keyId", t.history_id AS "historyId", t.purpose, t.request_id AS "requestId",
  t.approval, t.approval_expires_at AS "approvalExpiresAt", t.approval_decided_at AS "approvalDecidedAt",
  t.approval_decided_by AS "approvalDecidedBy", t.approval_note AS "approvalNote"`;

type RowWithMore = Omit<NewTransaction, 'approvalDecidedAt' | 'approvalDecidedBy' | 'approvalNote'>;
type TransactionRow = Omit<
  RowWithMore,
  'purpose' | 'approval' | 'approvalExpiresAt' | 'historyId' | 'historySeq' | 'historyBlockedTotal'
>;

const COLUMNS: ConstructorParameters<typeof RowStatement<TransactionRow>>[1] = {
  walletId: 'uuid',
  seq: 'bigint',
  id: 'uuid',
  ...(Object.fromEntries(DETAIL_COLUMNS.map(({ name, type }) => [name, type])) as Record<
    keyof PaymentDetails,
    string
  >),
  blockReason: 'text',
  facts: ['json', ({ facts }) => JSON.stringify(facts)],
  spentTotal: 'numeric',
  blockedTotal: 'bigint',
  createdAt: 'timestamptz',
  idempotencyKey: 'text',
  fingerprint: 'bytea',
  keyId: 'uuid',
  requestId: 'text',
};

const insertion = (rows: string, more = '') => `INSERT INTO transactions (wallet_id, seq, id,
     ${DETAIL_COLUMNS.map(({ column }) => column).join(', ')}, block_reason, facts, spent_total, blocked_total,
     created_at, idempotency_key, fingerprint, key_id, request_id${more}) SELECT r.* FROM ${rows}`;

/** Attempts without approval, limits or purpose: the other columns stay null. */
const ADD = new RowStatement<TransactionRow>('transactions', COLUMNS, (rows) => insertion(rows));
const ADD_WITH_MORE = new RowStatement<RowWithMore>(
  'transactions',
  {
    ...COLUMNS,
    purpose: 'text',
    approval: 'text',
    approvalExpiresAt: 'timestamptz',
    historyId: 'uuid',
    historySeq: 'bigint',
    historyBlockedTotal: 'bigint',
  },
  (rows) =>
    insertion(
      rows,
      ', purpose, approval, approval_expires_at, history_id, history_seq, history_blocked_total',
    ),
);

@Injectable()
export class PaymentsStore {
  /**
   * Returns what each wallet spent in its window, and how much is held: newest running total, less that at
   * the window's start, less refunds. The time is read by this statement, after the locks. Sums stop at the
   * largest exact number.
   */
  windows(wallets: readonly WindowQuery[], from: Queryable): Promise<StoredWindow[]> {
    return from.query<StoredWindow>(
      `WITH clock AS MATERIALIZED (SELECT date_trunc('milliseconds', clock_timestamp()) AS now)
       SELECT w.id AS "walletId", clock.now, w.days, first.created_at AS from,
              least(coalesce(last.spent_total, 0) - coalesce(before.spent_total, 0) - refunded.amount,
                    ${KOBO_MAX})::bigint AS spent, waiting.held
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
         ) refunded
        CROSS JOIN LATERAL (
           SELECT coalesce(sum(p.amount), 0)::bigint AS held FROM transactions p
            WHERE p.wallet_id = w.id AND p.approval = 'pending' AND p.created_at > opening.start
         ) waiting`,
      [wallets.map(({ id }) => id), wallets.map(({ periodWindowDays }) => periodWindowDays)],
    );
  }

  /** One in each scope. */
  async usesOf(
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

  histories(histories: readonly HistoryRef[], from: Queryable): Promise<HistoryReading[]> {
    return from.query<HistoryReading>(
      `SELECT h.wallet_id AS "walletId", h.id AS "historyId", last.history_seq AS "attempts", last.history_blocked_total AS "blocked", (
                SELECT count(*)::integer FROM transactions p
                 WHERE p.wallet_id = h.wallet_id AND p.approval = 'pending' AND p.history_id = h.id
              ) AS pending
         FROM unnest($1::uuid[], $2::uuid[]) AS h (wallet_id, id)
        CROSS JOIN LATERAL (
          SELECT t.history_seq, t.history_blocked_total FROM transactions t
           WHERE t.wallet_id = h.wallet_id AND t.history_id = h.id ORDER BY t.history_seq DESC LIMIT 1
        ) last`,
      [histories.map(({ walletId }) => walletId), histories.map(({ id }) => id)],
    );
  }

  /** Stores attempts of locked wallets. */
  add(transactions: readonly NewTransaction[], tx: Tx): void {
    const isBare = transactions.every(
      ({ approval, purpose, historyId }) => approval === null && purpose === null && historyId === null,
    );
    if (isBare) tx.writeRows(ADD, transactions);
    else tx.writeRows(ADD_WITH_MORE, transactions);
  }

  addReturns(returns: readonly { readonly walletId: string; readonly reference: string }[], tx: Tx): void {
    if (returns.length === 0) return;
    tx.write(
      `INSERT INTO returned_payments (wallet_id, transaction_id, approved_at)
       SELECT t.wallet_id, t.id, t.created_at FROM unnest($1::uuid[], $2::uuid[]) AS r (wallet_id, id)
         JOIN transactions t ON t.id = r.id AND t.wallet_id = r.wallet_id`,
      [returns.map(({ walletId }) => walletId), returns.map(({ reference }) => reference)],
    );
  }

  /** Releases refunded or denied payments from their period. PostgreSQL refuses a second time. */
  addRefunds(
    refunds: readonly { readonly walletId: string; readonly transactionId: string }[],
    tx: Tx,
  ): void {
    if (refunds.length === 0) return;
    tx.write(
      `INSERT INTO refunded_payments (wallet_id, transaction_id, amount, approved_at)
       SELECT t.wallet_id, t.id, t.amount, t.created_at FROM unnest($1::uuid[], $2::uuid[]) AS r (wallet_id, id)
         JOIN transactions t ON t.id = r.id AND t.wallet_id = r.wallet_id`,
      [refunds.map(({ walletId }) => walletId), refunds.map(({ transactionId }) => transactionId)],
    );
  }
}
