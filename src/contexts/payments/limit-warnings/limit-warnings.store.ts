import { Injectable } from '@nestjs/common';
import { columnsOf } from '../../../platform/database/columns.js';
import type { Tx } from '../../../platform/database/tx.js';
import type { WalletLimitReached } from './limit-warnings.domain.js';

@Injectable()
export class LimitWarningsStore {
  /** Returns those not warned of in their window, or whose limit has changed since. The wallets are locked. */
  async record(all: readonly WalletLimitReached[], tx: Tx): Promise<WalletLimitReached[]> {
    const rows = await tx.query<{ place: number }>(
      `WITH reached AS (
         SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::integer[], $5::bigint[], $6::integer[],
                              $7::timestamptz[]) WITH ORDINALITY
             AS r (wallet_id, key_id, budget, percent, limit_amount, days, at, place)
       ), warned AS (
         INSERT INTO limit_warnings AS w (wallet_id, key_id, budget, percent, limit_amount, warned_at)
         SELECT wallet_id, key_id, budget, percent, limit_amount, at FROM reached
         ON CONFLICT (wallet_id, key_id, budget, percent) DO UPDATE
            SET limit_amount = excluded.limit_amount, warned_at = excluded.warned_at
          WHERE w.limit_amount <> excluded.limit_amount
             OR w.warned_at <= (SELECT r.at - r.days * interval '24 hours' FROM reached r
                                 WHERE r.wallet_id = w.wallet_id AND r.key_id = w.key_id AND r.budget = w.budget
                                   AND r.percent = w.percent)
         RETURNING wallet_id, key_id, budget, percent
       )
       SELECT r.place::integer AS place FROM reached r JOIN warned USING (wallet_id, key_id, budget, percent)`,
      [
        all.map(({ walletId }) => walletId),
        all.map(({ walletId, keyId }) => keyId ?? walletId),
        ...columnsOf(all, 'budget', 'percent', 'limit', 'days', 'at'),
      ],
    );
    const places = new Set(rows.map(({ place }) => place));
    return all.filter((_, i) => places.has(i + 1));
  }
}
