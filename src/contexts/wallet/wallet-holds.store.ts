import { Injectable } from '@nestjs/common';
import { columnsOf } from '../../platform/database/columns.js';
import { Database } from '../../platform/database/database.js';
import type { Tx } from '../../platform/database/tx.js';
import { Wallet } from './wallet.entity.js';
import { type WalletHold, WalletHolds } from './wallet-holds.port.js';

export interface EndedHold {
  readonly walletId: string;
  readonly amount: number;
  /** True: spent. False: available again. */
  readonly isApproved: boolean;
  readonly at: Date;
}

/** Precedes every id. */
const NIL = '00000000-0000-0000-0000-000000000000';

/** Ends holds; `recordAttempts` begins them. */
@Injectable()
export class WalletHoldsStore implements WalletHolds {
  constructor(private readonly database: Database) {}

  page(after: string | null, limit: number, tx: Tx): Promise<WalletHold[]> {
    return tx.query<WalletHold>(
      `SELECT w.id AS "walletId", w.held, w.held_count AS "heldCount", w.balance,
              w.entry_count AS "entryCount", w.attempt_count AS "attemptCount" FROM wallets w
        WHERE w.id > $1::uuid ORDER BY w.id LIMIT $2`,
      [after ?? NIL, limit],
    );
  }

  count(): Promise<number> {
    return this.database.reads.repository(Wallet).count();
  }

  /** A release has the window read again. PostgreSQL refuses to end more than is held. */
  end(holds: readonly EndedHold[], tx: Tx): void {
    tx.write(
      `UPDATE wallets w SET held = w.held - h.amount, held_count = w.held_count - h.count,
              balance = w.balance - h.spent, entry_count = w.entry_count + h.spent_count,
              window_days = CASE WHEN h.spent_count = h.count THEN w.window_days END,
              updated_at = greatest(w.updated_at, h.at)
         FROM (
           SELECT id, sum(amount)::bigint AS amount, count(*)::integer AS count, max(at) AS at,
                  coalesce(sum(amount) FILTER (WHERE is_spent), 0)::bigint AS spent,
                  count(*) FILTER (WHERE is_spent) AS spent_count
             FROM unnest($1::uuid[], $2::bigint[], $3::boolean[], $4::timestamptz[]) AS e (id, amount, is_spent, at)
            GROUP BY id
         ) h WHERE w.id = h.id`,
      columnsOf(holds, 'walletId', 'amount', 'isApproved', 'at'),
    );
  }
}
