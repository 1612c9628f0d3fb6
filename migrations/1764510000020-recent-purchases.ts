import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The payments that the duplicate-purchase guard compares with: those of the last day, where it is on. A payment that
 * was refunded leaves; so does what is older than any guard looks back. The primary key is the one seek of the guard.
 */
export class RecentPurchases1764510000020 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE recent_purchases (
        wallet_id            uuid NOT NULL,
        key_id               uuid NOT NULL,
        recipient_account_no text NOT NULL,
        recipient_bank_code  text NOT NULL,
        amount               kobo NOT NULL,
        seq                  bigint NOT NULL,
        transaction_id       uuid NOT NULL,
        approved_at          timestamptz NOT NULL,
        PRIMARY KEY (wallet_id, key_id, recipient_account_no, recipient_bank_code, amount, seq),
        CONSTRAINT recent_purchases_transaction_key UNIQUE (wallet_id, transaction_id)
      );
      CREATE INDEX recent_purchases_by_time ON recent_purchases (approved_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE recent_purchases');
  }
}
