import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { Tx } from '../../platform/database/tx.js';
import { WalletActivity, type WalletState } from './wallet-activity.port.js';

@Injectable()
export class WalletActivityStore implements WalletActivity {
  constructor(private readonly database: Database) {}

  /** Two seeks a wallet beside its row. */
  statesOf(accountIds: readonly string[]): Promise<readonly WalletState[]> {
    return this.database.reads.query<WalletState>(
      `SELECT w.id AS "walletId", w.user_id AS "accountId", w.attempt_count AS "attemptCount",
              w.entry_count AS "entryCount", w.held_count AS "heldCount", w.return_count AS "returnCount",
              coalesce((SELECT c.seq FROM wallet_changes c WHERE c.wallet_id = w.id ORDER BY c.seq DESC LIMIT 1), 0)
                AS "changeCount",
              coalesce((SELECT (extract(epoch FROM max(k.last_used_at)) * 1000000)::bigint
                          FROM api_keys k WHERE k.wallet_id = w.id), 0) AS "keysUsedAt"
         FROM wallets w WHERE w.user_id = ANY ($1::uuid[])`,
      [accountIds],
    );
  }

  countReturns(walletIds: readonly string[], tx: Tx): void {
    tx.write(
      `UPDATE wallets w SET return_count = w.return_count + r.count
         FROM (SELECT id, count(*)::integer AS count FROM unnest($1::uuid[]) AS u (id) GROUP BY id) r
        WHERE w.id = r.id`,
      [walletIds],
    );
  }

  newestWithdrawals(
    walletIds: readonly string[],
    limit: number,
  ): Promise<readonly { readonly id: string; readonly walletId: string }[]> {
    return this.database.reads.query(
      `SELECT n.id, w.id AS "walletId"
         FROM unnest($1::uuid[]) AS w (id)
        CROSS JOIN LATERAL (
          SELECT d.id FROM withdrawals d WHERE d.wallet_id = w.id ORDER BY d.seq DESC LIMIT $2
        ) n`,
      [walletIds, limit],
    );
  }
}
