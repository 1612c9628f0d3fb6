import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently } from '../src/platform/database/migration-runs.js';

const INDEXES = {
  transactions_idempotency_scoped:
    'ON transactions (wallet_id, idempotency_key, history_id) NULLS NOT DISTINCT WHERE idempotency_key IS NOT NULL',
  transactions_of_history:
    'ON transactions (wallet_id, history_id, history_seq) WHERE history_id IS NOT NULL',
} as const;

/**
 * The attempts of keys with limits, numbered, and the indexes that find them: an idempotency key is unique within its
 * scope. No transaction of its own: indexes are built beside the payments, and keys are done one by one, each under its
 * wallet's lock. Run again after a failure, it does what is left.
 */
export class LimitedKeyHistories1764780000010 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const keys = (await runner.query(
      'SELECT id, wallet_id AS "walletId" FROM api_keys WHERE limits IS NOT NULL ORDER BY id',
    )) as { id: string; walletId: string }[];
    for (const { id, walletId } of keys) {
      await runner.startTransaction();
      try {
        await runner.query('SELECT FROM wallets WHERE id = $1 FOR UPDATE', [walletId]);
        await runner.query(
          `UPDATE transactions t SET history_id = $2::uuid, history_seq = n.seq, history_blocked_total = n.blocked
             FROM (SELECT o.seq AS of, row_number() OVER w AS seq,
                          count(*) FILTER (WHERE o.block_reason IS NOT NULL AND o.approval IS NULL) OVER w AS blocked
                     FROM transactions o WHERE o.wallet_id = $1 AND o.key_id = $2 WINDOW w AS (ORDER BY o.seq)) n
            WHERE t.wallet_id = $1 AND t.seq = n.of AND t.history_id IS NULL`,
          [walletId, id],
        );
        await runner.commitTransaction();
      } catch (error) {
        await runner.rollbackTransaction();
        throw error;
      }
    }
    for (const [name, definition] of Object.entries(INDEXES)) {
      await createIndexConcurrently(runner, name, definition, { isUnique: true });
    }
    await runner.query('DROP INDEX CONCURRENTLY IF EXISTS transactions_idempotency');
  }

  /** Where two keys used one idempotency key, the later payment gives it up: the wallet then has it once, as before. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      UPDATE transactions t SET idempotency_key = NULL, fingerprint = NULL
        FROM transactions o
       WHERE o.wallet_id = t.wallet_id AND o.idempotency_key = t.idempotency_key AND o.seq < t.seq;
      CREATE UNIQUE INDEX transactions_idempotency ON transactions (wallet_id, idempotency_key)
        WHERE idempotency_key IS NOT NULL;
      DROP INDEX ${Object.keys(INDEXES).join(', ')};
    `);
  }
}
