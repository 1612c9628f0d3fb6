import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Tx } from '../../../platform/database/tx.js';
import type { Labels, PlacedPayment, UsedLabels } from './labels.domain.js';

const CHANGES_READ_MAX = 1_000;

const LABELS = `memo, category, cost_centre AS "costCentre"`;

@Injectable()
export class LabelsStore {
  constructor(private readonly database: Database) {}

  async of(
    payments: readonly { readonly id: string; readonly walletId: string }[],
  ): Promise<ReadonlyMap<string, Labels>> {
    if (payments.length === 0) return new Map();
    const rows = await this.database.reads.query<Labels & { id: string }>(
      `SELECT transaction_id AS id, ${LABELS} FROM payment_labels
        WHERE (wallet_id, transaction_id) IN (SELECT * FROM unnest($1::uuid[], $2::uuid[]))`,
      [payments.map(({ walletId }) => walletId), payments.map(({ id }) => id)],
    );
    return new Map(rows.map(({ id, ...labels }) => [id, labels]));
  }

  /** Locks them; null: the wallet has no such transaction. */
  async lock({ walletId, transactionId }: PlacedPayment, accountId: string, tx: Tx): Promise<Labels | null> {
    tx.write(
      `INSERT INTO payment_labels (wallet_id, transaction_id, account_id, requested_at, changed_at)
       SELECT wallet_id, id, $3, created_at, clock_timestamp() FROM transactions WHERE id = $2 AND wallet_id = $1
       ON CONFLICT DO NOTHING`,
      [walletId, transactionId, accountId],
    );
    const [found] = await tx.query<Labels>(
      `SELECT ${LABELS} FROM payment_labels WHERE wallet_id = $1 AND transaction_id = $2 FOR UPDATE`,
      [walletId, transactionId],
    );
    return found ?? null;
  }

  set({ walletId, transactionId }: PlacedPayment, { memo, category, costCentre }: Labels, tx: Tx): void {
    tx.write(
      `UPDATE payment_labels SET memo = $3, category = $4, cost_centre = $5, changed_at = clock_timestamp()
        WHERE wallet_id = $1 AND transaction_id = $2`,
      [walletId, transactionId, memo, category, costCentre],
    );
  }

  async used(accountId: string): Promise<UsedLabels> {
    const [found] = await this.database.reads.query<UsedLabels>(
      `SELECT coalesce(array_agg(DISTINCT category) FILTER (WHERE category IS NOT NULL), '{}') AS categories,
              coalesce(array_agg(DISTINCT cost_centre) FILTER (WHERE cost_centre IS NOT NULL), '{}') AS "costCentres"
         FROM (SELECT category, cost_centre FROM payment_labels WHERE account_id = $1
                ORDER BY changed_at DESC LIMIT $2) last`,
      [accountId, CHANGES_READ_MAX],
    );
    return found ?? { categories: [], costCentres: [] };
  }
}
