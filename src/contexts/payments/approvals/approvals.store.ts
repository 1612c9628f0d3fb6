import { Injectable } from '@nestjs/common';
import { columnsOf } from '../../../platform/database/columns.js';
import { Database } from '../../../platform/database/database.js';
import type { Queryable, Tx } from '../../../platform/database/tx.js';
import type { Page, PageRequest } from '../../../kernel/page.js';
import { isUuid } from '../../../kernel/text.js';
import type { ApprovalOutcome, ApprovalStatus } from '../payments.events.js';
import { recipientOf } from '../payments.port.js';
import { PENDING_MAX } from '../rules/approval/approval-rule.domain.js';
import { TRANSACTION_COLUMNS } from '../payments.store.js';
import {
  type ApprovalSort,
  EARLIER_ATTEMPTS_MAX,
  type PaidBefore,
  type ReviewedTransaction,
} from './approvals.domain.js';

export interface Ending {
  readonly transaction: ReviewedTransaction;
  readonly outcome: ApprovalOutcome;
  readonly at: Date;
  /** Null: it expired. */
  readonly decidedBy: string | null;
  readonly note: string | null;
}

export interface PendingSum {
  readonly walletId: string;
  readonly count: number;
  /** In kobo, as text: a broken sum may exceed any number. */
  readonly kobo: string;
}

/** Literals, so that partial indexes apply. */
const OF_STATUS: Readonly<Record<ApprovalStatus | 'all', string>> = {
  all: 'approval IS NOT NULL',
  pending: `approval = 'pending'`,
  approved: `approval IS NOT NULL AND approval = 'approved'`,
  denied: `approval IS NOT NULL AND approval = 'denied'`,
  expired: `approval IS NOT NULL AND approval = 'expired'`,
};

const ORDERS: Readonly<Record<ApprovalSort, { readonly inWallet: string; readonly inAll: string }>> = {
  '-createdAt': { inWallet: 'n.seq DESC', inAll: 't.created_at DESC, t.wallet_id DESC, t.seq DESC' },
  expiresAt: {
    inWallet: 'n.approval_expires_at, n.seq',
    inAll: 't.approval_expires_at, t.wallet_id, t.seq',
  },
};

/** Rows of `transactions` that have an `approval`. */
@Injectable()
export class ApprovalsStore {
  constructor(private readonly database: Database) {}

  /** Reads without a lock, for any owner. */
  async find(id: string): Promise<ReviewedTransaction | null> {
    if (!isUuid(id)) return null;
    const [row] = await this.database.query<ReviewedTransaction>(
      `SELECT ${TRANSACTION_COLUMNS} FROM transactions t WHERE t.id = $1 AND t.approval IS NOT NULL`,
      [id],
    );
    return row ?? null;
  }

  /** Once a member; the wallet is locked. */
  async vote(
    id: string,
    walletId: string,
    userId: string,
    tx: Tx,
  ): Promise<{ readonly isNew: boolean; readonly all: readonly string[] }> {
    const added = await tx.query(
      `INSERT INTO approval_votes (wallet_id, transaction_id, user_id, at) VALUES ($1, $2, $3, clock_timestamp())
       ON CONFLICT DO NOTHING RETURNING 1`,
      [walletId, id, userId],
    );
    return { isNew: added.length > 0, all: (await this.votesOn([{ id, walletId }], tx)).get(id) ?? [] };
  }

  async votesOn(
    payments: readonly Pick<ReviewedTransaction, 'id' | 'walletId'>[],
    from: Queryable = this.database.reads,
  ): Promise<ReadonlyMap<string, readonly string[]>> {
    if (payments.length === 0) return new Map();
    const votes = await from.query<{ id: string; userIds: string[] }>(
      `SELECT v.transaction_id AS id, array_agg(v.user_id::text ORDER BY v.at) AS "userIds" FROM approval_votes v
         JOIN unnest($1::uuid[], $2::uuid[]) AS p (wallet_id, id) ON v.wallet_id = p.wallet_id AND v.transaction_id = p.id
        GROUP BY v.transaction_id`,
      [payments.map(({ walletId }) => walletId), payments.map(({ id }) => id)],
    );
    return new Map(votes.map(({ id, userIds }) => [id, userIds]));
  }

  /** Reads under the lock that `tx` has on its wallet. */
  async findLocked(id: string, walletId: string, tx: Tx): Promise<ReviewedTransaction> {
    const [row] = await tx.query<ReviewedTransaction>(
      `SELECT ${TRANSACTION_COLUMNS} FROM transactions t WHERE t.id = $1 AND t.wallet_id = $2`,
      [id, walletId],
    );
    if (!row) throw new Error(`the approval ${id} is gone`);
    return row;
  }

  /** Pending ones of a locked wallet, oldest first; with `dueAt` those that have expired by then. */
  pendingOf(walletId: string, dueAt: Date | null, tx: Tx): Promise<ReviewedTransaction[]> {
    return tx.query<ReviewedTransaction>(
      `SELECT ${TRANSACTION_COLUMNS} FROM transactions t
        WHERE t.wallet_id = $1 AND t.approval = 'pending' AND t.approval_expires_at <= coalesce($2::timestamptz, 'infinity')
        ORDER BY t.seq`,
      [walletId, dueAt],
    );
  }

  pendingSums(walletIds: readonly string[], tx: Tx): Promise<PendingSum[]> {
    return tx.query<PendingSum>(
      `SELECT t.wallet_id AS "walletId", count(*) AS count, sum(t.amount)::text AS kobo FROM transactions t
        WHERE t.wallet_id = ANY ($1::uuid[]) AND t.approval = 'pending' GROUP BY t.wallet_id`,
      [walletIds],
    );
  }

  /** Returns at most `limit` wallets with expired approvals, the longest overdue first. */
  async walletsDue(limit: number): Promise<string[]> {
    // As many rows as these wallets can have: one failing wallet delays no other.
    const rows = await this.database.query<{ walletId: string }>(
      `SELECT due.wallet_id AS "walletId"
         FROM (SELECT t.wallet_id, t.approval_expires_at FROM transactions t
                WHERE t.approval = 'pending' AND t.approval_expires_at <= statement_timestamp()
                ORDER BY t.approval_expires_at LIMIT $2) due
        GROUP BY due.wallet_id ORDER BY min(due.approval_expires_at) LIMIT $1`,
      [limit, limit * PENDING_MAX],
    );
    return rows.map(({ walletId }) => walletId);
  }

  /** All, or throws. The wallets are locked. */
  async end(endings: readonly Ending[], tx: Tx): Promise<void> {
    const ended = await tx.query(
      `UPDATE transactions t SET approval = e.outcome, approval_decided_at = e.at, approval_decided_by = e.decided_by,
              approval_note = e.note,
              block_reason = CASE e.outcome WHEN 'denied' THEN 'APPROVAL_DENIED'
                                            WHEN 'expired' THEN 'APPROVAL_EXPIRED' END
         FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::timestamptz[], $5::uuid[], $6::text[])
           AS e (wallet_id, id, outcome, at, decided_by, note)
        WHERE t.wallet_id = e.wallet_id AND t.id = e.id AND t.approval = 'pending' RETURNING t.id`,
      [
        endings.map(({ transaction: { walletId } }) => walletId),
        endings.map(({ transaction: { id } }) => id),
        ...columnsOf(endings, 'outcome', 'at', 'decidedBy', 'note'),
      ],
    );
    if (ended.length !== endings.length)
      throw new Error('an approval was decided under the lock of its wallet');
  }

  /** Without refunded ones. */
  async paidBefore(transaction: ReviewedTransaction): Promise<PaidBefore> {
    const { accountNumber, bankCode } = recipientOf(transaction);
    const [found] = await this.database.reads.query<PaidBefore>(
      `SELECT count(*) FILTER (WHERE e.paid)::integer AS payments, max(e.created_at) FILTER (WHERE e.paid) AS "lastAt",
              CASE WHEN min(e.seq) > 1 THEN min(e.created_at) END AS since
         FROM (SELECT t.seq, t.created_at, t.recipient_account_no = $3 AND t.recipient_bank_code = $4
                      AND t.block_reason IS NULL AND t.approval IS DISTINCT FROM 'pending'
                      AND NOT EXISTS (SELECT FROM refunded_payments r
                                       WHERE r.wallet_id = t.wallet_id AND r.transaction_id = t.id) AS paid
                 FROM transactions t
                WHERE t.wallet_id = $1
                  AND t.seq < (SELECT seq FROM transactions WHERE id = $2 AND wallet_id = $1)
                ORDER BY t.seq DESC LIMIT ${EARLIER_ATTEMPTS_MAX}) e`,
      [transaction.walletId, transaction.id, accountNumber, bankCode],
    );
    return found as PaidBefore;
  }

  async page(
    walletIds: readonly string[],
    status: ApprovalStatus | undefined,
    sort: ApprovalSort,
    { page, pageSize }: PageRequest,
  ): Promise<Page<ReviewedTransaction>> {
    const { inWallet, inAll } = ORDERS[sort];
    const wanted = OF_STATUS[status ?? 'all'];
    // One statement counts and reads, so that total and rows agree.
    const found = await this.database.reads.query<
      (ReviewedTransaction | { readonly id: null }) & { total: number }
    >(
      `SELECT counted.total, ${TRANSACTION_COLUMNS} FROM (
         SELECT count(*) AS total FROM transactions n WHERE n.wallet_id = ANY ($1::uuid[]) AND ${wanted}
       ) counted LEFT JOIN (
         SELECT t.* FROM unnest($1::uuid[]) AS w (id)
          CROSS JOIN LATERAL (
            SELECT * FROM transactions n WHERE n.wallet_id = w.id AND ${wanted}
             ORDER BY ${inWallet} LIMIT $2::bigint + $3::bigint
          ) t ORDER BY ${inAll} OFFSET $2 LIMIT $3
       ) t ON true ORDER BY ${inAll}`,
      [walletIds, (page - 1) * pageSize, pageSize],
    );
    return { rows: found.filter((row) => row.id !== null), total: found[0]?.total ?? 0 };
  }
}
