import { newId } from '../../kernel/ids.js';
import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { Tx } from '../../platform/database/tx.js';
import { RowStatement } from '../../platform/database/row-statement.js';
import type { Kobo } from '../../kernel/money.js';
import { type Page, type PageRequest, seqRange } from '../../kernel/page.js';

export interface LedgerEntry {
  readonly id: string;
  readonly walletId: string;
  readonly type: 'topup' | 'debit' | 'refund';
  readonly amount: Kobo;
  readonly balanceAfter: Kobo;
  readonly transactionId: string | null;
  readonly reference: string;
  readonly narration: string | null;
  readonly purpose: string | null;
  readonly createdAt: Date;
}

export interface ReadEntry extends LedgerEntry {
  readonly caseId: string | null;
  readonly source: LedgerSource | null;
  readonly otherWalletId: string | null;
}

/** A withdrawal's or transfer's `movementId` comes with its `source`. */
export interface NewEntry extends Omit<LedgerEntry, 'id' | 'transactionId'> {
  readonly seq: number;
  /** Null for a top-up. */
  readonly movementId: string | null;
  readonly source: LedgerSource | null;
  readonly caseId: string | null;
}

type LedgerSource = 'withdrawal' | 'transfer';

const APPEND = new RowStatement<Omit<NewEntry, 'source' | 'purpose' | 'caseId'>>(
  'ledger_entries',
  {
    walletId: 'uuid',
    seq: 'bigint',
    // Entries are ordered by seq, not by id.
    id: ['uuid', newId],
    type: 'text',
    amount: 'bigint',
    balanceAfter: 'bigint',
    movementId: 'uuid',
    reference: 'text',
    narration: 'text',
    createdAt: 'timestamptz',
  },
  (
    rows,
  ) => `INSERT INTO ledger_entries (wallet_id, seq, id, type, amount, balance_after, transaction_id, reference,
     narration, created_at) SELECT r.* FROM ${rows}`,
);

const APPEND_WITH_MORE = new RowStatement<NewEntry>(
  'ledger_entries',
  {
    walletId: 'uuid',
    seq: 'bigint',
    id: ['uuid', newId],
    type: 'text',
    amount: 'bigint',
    balanceAfter: 'bigint',
    movementId: 'uuid',
    reference: 'text',
    narration: 'text',
    createdAt: 'timestamptz',
    source: 'text',
    purpose: 'text',
    caseId: 'uuid',
  },
  (
    rows,
  ) => `INSERT INTO ledger_entries (wallet_id, seq, id, type, amount, balance_after, transaction_id, reference,
     narration, created_at, source, purpose, case_id) SELECT r.* FROM ${rows}`,
);

const ENTRY_COLUMNS = `e.id, e.wallet_id AS "walletId", e.type, e.amount, e.balance_after AS "balanceAfter",
  CASE WHEN e.source IS NULL THEN e.transaction_id END AS "transactionId", e.reference, e.narration, e.created_at AS "createdAt",
  CASE WHEN e.type <> 'refund' THEN e.purpose ELSE (
    SELECT d.purpose FROM ledger_entries d
     WHERE d.transaction_id = e.transaction_id AND d.type = 'debit' AND d.wallet_id = e.wallet_id
  ) END AS purpose`;

/** The two entries of a transfer share its id. */
export const READ_COLUMNS = `${ENTRY_COLUMNS}, e.source, e.case_id AS "caseId",
  CASE WHEN e.source = 'transfer' THEN CASE e.type
    WHEN 'debit' THEN (SELECT o.wallet_id FROM ledger_entries o WHERE o.type = 'topup' AND o.reference = e.reference
                          AND o.source = 'transfer' LIMIT 1)
    ELSE (SELECT o.wallet_id FROM ledger_entries o WHERE o.transaction_id = e.reference::uuid AND o.type = 'debit'
             AND o.source = 'transfer' LIMIT 1) END END AS "otherWalletId"`;

const SKIPPED_BY_READING_MAX = 500;

@Injectable()
export class LedgerStore {
  constructor(private readonly database: Database) {}

  /** Numbers come from the wallets. */
  append(entries: readonly NewEntry[], tx: Tx): void {
    const isBare = entries.every(
      ({ source, purpose, caseId }) => source === null && purpose === null && caseId === null,
    );
    if (isBare) tx.writeRows(APPEND, entries);
    else tx.writeRows(APPEND_WITH_MORE, entries);
  }

  /** Newest first; costs the same at any depth. */
  async page(walletId: string, request: PageRequest): Promise<Page<ReadEntry>> {
    const [last] = await this.database.reads.query<{ seq: number }>(
      'SELECT seq FROM ledger_entries WHERE wallet_id = $1 ORDER BY seq DESC LIMIT 1',
      [walletId],
    );
    const total = last?.seq ?? 0;
    const { after, upTo } = seqRange(request, total);
    const rows = await this.database.reads.query<ReadEntry>(
      `SELECT ${READ_COLUMNS} FROM ledger_entries e
        WHERE e.wallet_id = $1 AND e.seq <= $2 AND e.seq > $3 ORDER BY e.seq DESC`,
      [walletId, upTo, after],
    );
    return { rows, total };
  }

  /** Without entries made meanwhile. */
  async *all(walletId: string, size: number): AsyncGenerator<readonly LedgerEntry[], void> {
    const [last] = await this.database.reads.query<{ seq: number }>(
      'SELECT seq FROM ledger_entries WHERE wallet_id = $1 ORDER BY seq DESC LIMIT 1',
      [walletId],
    );
    for (let upTo = last?.seq ?? 0; upTo > 0; upTo -= size) {
      yield await this.database.reads.query<LedgerEntry>(
        `SELECT ${ENTRY_COLUMNS} FROM ledger_entries e
          WHERE e.wallet_id = $1 AND e.seq <= $2 AND e.seq > $3 ORDER BY e.seq DESC`,
        [walletId, upTo, upTo - size],
      );
    }
  }

  ofTransaction(walletId: string, transactionId: string): Promise<ReadEntry[]> {
    return this.database.reads.query<ReadEntry>(
      `SELECT ${READ_COLUMNS} FROM ledger_entries e WHERE e.transaction_id = $2 AND e.wallet_id = $1 AND e.source IS NULL ORDER BY e.seq DESC`,
      [walletId, transactionId],
    );
  }

  /** Costs the same at any depth: skipped entries are counted by `seq`. */
  async pageOfMany(walletIds: readonly string[], { page, pageSize }: PageRequest): Promise<Page<ReadEntry>> {
    const [count] = await this.database.reads.query<{ total: number }>(
      `SELECT coalesce(sum(last.seq), 0)::bigint AS total FROM unnest($1::uuid[]) AS w (id)
        CROSS JOIN LATERAL (SELECT e.seq FROM ledger_entries e WHERE e.wallet_id = w.id
                             ORDER BY e.seq DESC LIMIT 1) last`,
      [walletIds],
    );
    const total = count?.total ?? 0;
    const skip = (page - 1) * pageSize;
    if (skip >= total) return { rows: [], total };
    const { until, newer } =
      skip > SKIPPED_BY_READING_MAX
        ? await this.findPageBoundary(walletIds, skip, total)
        : { until: 'infinity', newer: 0 };
    const rows = await this.database.reads.query<ReadEntry>(
      `SELECT ${READ_COLUMNS} FROM unnest($1::uuid[]) AS w (id)
        CROSS JOIN LATERAL (SELECT * FROM ledger_entries l WHERE l.wallet_id = w.id AND l.created_at <= $2
                             ORDER BY l.created_at DESC, l.seq DESC LIMIT $3::bigint + $4::bigint) e
        ORDER BY e.created_at DESC, e.wallet_id DESC, e.seq DESC OFFSET $3 LIMIT $4`,
      [walletIds, until, skip - newer, pageSize],
    );
    return { rows, total };
  }

  /** By binary search over time. */
  private async findPageBoundary(
    walletIds: readonly string[],
    skip: number,
    total: number,
  ): Promise<{ until: Date; newer: number }> {
    const entryAt = (order: 'ASC' | 'DESC') =>
      `(SELECT e.created_at FROM ledger_entries e WHERE e.wallet_id = w.id ORDER BY e.seq ${order} LIMIT 1)`;
    const [found] = await this.database.reads.query<{ until: Date; newer: number }>(
      `WITH RECURSIVE search (too_early, ms, newer) AS (
         SELECT floor(extract(epoch FROM min(${entryAt('ASC')})) * 1000)::bigint - 1,
                ceil(extract(epoch FROM max(${entryAt('DESC')})) * 1000)::bigint,
                0::bigint
           FROM unnest($1::uuid[]) AS w (id)
         UNION ALL
         SELECT CASE WHEN n.newer > $2 THEN middle ELSE too_early END,
                CASE WHEN n.newer > $2 THEN ms ELSE middle END,
                CASE WHEN n.newer > $2 THEN search.newer ELSE n.newer END
           FROM search CROSS JOIN LATERAL (SELECT (too_early + ms) / 2 AS middle) m
          CROSS JOIN LATERAL (
            SELECT $3::bigint - coalesce(sum(had.seq), 0)::bigint AS newer FROM unnest($1::uuid[]) AS w (id)
             CROSS JOIN LATERAL (SELECT e.seq FROM ledger_entries e
                                  WHERE e.wallet_id = w.id
                                    AND e.created_at <= timestamptz 'epoch' + middle * interval '1 millisecond'
                                  ORDER BY e.created_at DESC, e.seq DESC LIMIT 1) had) n
          WHERE ms - too_early > 1
       )
       SELECT timestamptz 'epoch' + ms * interval '1 millisecond' AS until, newer
         FROM search ORDER BY ms - too_early LIMIT 1`,
      [walletIds, skip, total],
    );
    if (!found) throw new Error('the search for a moment found none');
    return found;
  }
}
