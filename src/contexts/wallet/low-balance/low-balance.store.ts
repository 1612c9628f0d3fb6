import { Injectable } from '@nestjs/common';
import type { Kobo } from '../../../kernel/money.js';
import { Database } from '../../../platform/database/database.js';
import type { Tx } from '../../../platform/database/tx.js';
import { LowBalanceThreshold } from './low-balance.entity.js';
import { type BalanceStanding, LowBalanceThresholds } from './low-balance.port.js';

@Injectable()
export class LowBalanceStore implements LowBalanceThresholds {
  constructor(private readonly database: Database) {}

  /** Null deletes it. */
  async set(walletId: string, threshold: Kobo | null, tx: Tx): Promise<void> {
    const thresholds = tx.repository(LowBalanceThreshold);
    if (threshold === null) await thresholds.delete({ walletId });
    else await thresholds.upsert({ walletId, threshold }, ['walletId']);
  }

  async of(walletId: string, from: Pick<Database | Tx, 'repository'> = this.database): Promise<Kobo | null> {
    const found = await from.repository(LowBalanceThreshold).findOneBy({ walletId });
    return found?.threshold ?? null;
  }

  standingsOf(walletIds: readonly string[]): Promise<BalanceStanding[]> {
    return this.database.query<BalanceStanding>(
      `SELECT w.id AS "walletId", w.user_id AS "accountId", w.name, w.balance, t.threshold
         FROM low_balance_thresholds t JOIN wallets w ON w.id = t.wallet_id
        WHERE t.wallet_id = ANY ($1::uuid[]) AND w.status <> 'CLOSED'`,
      [walletIds],
    );
  }

  async ofMany(walletIds: readonly string[], tx: Tx): Promise<Map<string, Kobo>> {
    const rows = await tx.query<{ walletId: string; threshold: Kobo }>(
      `SELECT wallet_id AS "walletId", threshold FROM low_balance_thresholds WHERE wallet_id = ANY ($1::uuid[])`,
      [walletIds],
    );
    return new Map(rows.map(({ walletId, threshold }) => [walletId, threshold]));
  }
}
