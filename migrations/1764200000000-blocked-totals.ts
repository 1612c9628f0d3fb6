import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Every attempt also carries how many were blocked so far. So the numbers of a day are the difference of two rows,
 * and a page of blocked attempts is a range of that count, whatever the length of the history. Approved payments
 * touch no index more than before.
 */
export class BlockedTotals1764200000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE transactions ADD COLUMN blocked_total bigint CHECK (blocked_total BETWEEN 0 AND seq);
      UPDATE transactions t SET blocked_total = n.blocked_total
        FROM (SELECT wallet_id, seq, count(block_reason) OVER (PARTITION BY wallet_id ORDER BY seq) AS blocked_total
                FROM transactions) n
       WHERE (t.wallet_id, t.seq) = (n.wallet_id, n.seq);
      ALTER TABLE transactions ALTER COLUMN blocked_total SET NOT NULL;
      CREATE UNIQUE INDEX transactions_blocked ON transactions (wallet_id, blocked_total)
        WHERE block_reason IS NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE transactions DROP COLUMN blocked_total');
  }
}
