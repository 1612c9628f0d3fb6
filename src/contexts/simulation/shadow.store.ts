import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { Tx } from '../../platform/database/tx.js';
import type { Transaction } from '../payments/payments.port.js';
import type { BlockReason } from '../../kernel/errors.js';
import { ShadowFlip, ShadowRules, type TrialRules } from './shadow.entity.js';

/** For attempts after `from`, up to `upTo`. */
export interface Judged {
  readonly from: number;
  readonly upTo: number;
  readonly count: number;
  readonly flips: readonly {
    seq: number;
    transactionId: string;
    amount: number;
    blockReason: BlockReason | null;
  }[];
}

/** `underRules` null: approved. */
export type ListedFlip = Transaction & { readonly underRules: BlockReason | null };

const TRIAL_LOCK = 7_241_004;

@Injectable()
export class ShadowStore {
  constructor(private readonly database: Database) {}

  find(walletId: string): Promise<ShadowRules | null> {
    return this.database.repository(ShadowRules).findOneBy({ walletId });
  }

  async behind(limit: number): Promise<string[]> {
    const rows = await this.database.reads.query<{ walletId: string }>(
      `SELECT s.wallet_id AS "walletId" FROM shadow_rules s
        WHERE EXISTS (SELECT FROM transactions t WHERE t.wallet_id = s.wallet_id AND t.seq > s.judged_seq) LIMIT $1`,
      [limit],
    );
    return rows.map(({ walletId }) => walletId);
  }

  async replace(
    walletId: string,
    change: (present: TrialRules) => TrialRules | null,
    onChange?: (before: TrialRules, after: TrialRules, tx: Tx) => Promise<void>,
  ): Promise<ShadowRules | null> {
    return this.database.transaction(async (tx) => {
      await tx.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [TRIAL_LOCK, walletId]);
      const trials = tx.repository(ShadowRules);
      const present = (await trials.findOneBy({ walletId }))?.rules ?? {};
      const rules = change(present);
      await onChange?.(present, rules ?? {}, tx);
      await trials.delete({ walletId });
      await tx.repository(ShadowFlip).delete({ walletId });
      if (!rules) return null;
      await tx.query(
        `INSERT INTO shadow_rules (wallet_id, rules, since, judged_seq)
         SELECT $1, $2::jsonb, date_trunc('milliseconds', clock_timestamp()), coalesce(max(t.seq), 0)
           FROM transactions t WHERE t.wallet_id = $1`,
        [walletId, JSON.stringify(rules)],
      );
      return trials.findOneBy({ walletId });
    });
  }

  /** Records what was judged, once: false when another process has judged it, or the rules are others by now. */
  async record({ walletId, since }: ShadowRules, { from, upTo, count, flips }: Judged): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      const approved = flips.filter(({ blockReason }) => blockReason === null);
      const blocked = flips.filter(({ blockReason }) => blockReason !== null);
      const sum = (of: Judged['flips']) =>
        String(of.reduce((total, { amount }) => total + BigInt(amount), 0n));
      const rows = await tx.query(
        `UPDATE shadow_rules SET judged_seq = $4, judged_count = judged_count + $5,
                to_approved_count = to_approved_count + $6, to_approved_sum = to_approved_sum + $7::numeric,
                to_blocked_count = to_blocked_count + $8, to_blocked_sum = to_blocked_sum + $9::numeric
          WHERE wallet_id = $1 AND since = $2 AND judged_seq = $3 RETURNING 1 AS done`,
        [
          walletId,
          since.toISOString(),
          from,
          upTo,
          count,
          approved.length,
          sum(approved),
          blocked.length,
          sum(blocked),
        ],
      );
      if (rows.length === 0) return false;
      if (flips.length > 0) {
        await tx.repository(ShadowFlip).insert(
          flips.map(({ seq, transactionId, blockReason }) => ({
            walletId,
            seq,
            transactionId,
            blockReason,
          })),
        );
      }
      return true;
    });
  }

  flips(walletId: string, limit: number): Promise<Pick<ShadowFlip, 'seq' | 'blockReason'>[]> {
    return this.database.reads.query<Pick<ShadowFlip, 'seq' | 'blockReason'>>(
      'SELECT seq, block_reason AS "blockReason" FROM shadow_flips WHERE wallet_id = $1 ORDER BY seq DESC LIMIT $2',
      [walletId, limit],
    );
  }
}
