import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The payments of keys with limits, by their number in the key's life, each with all that the key ever spent, itself
 * included: what a key spent in its window is the difference of two of them, less what was given back in it.
 */
export class LimitedKeys1764510000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE api_key_payments (
        wallet_id      uuid NOT NULL,
        key_id         uuid NOT NULL,
        seq            bigint NOT NULL CONSTRAINT api_key_payments_seq_check CHECK (seq > 0),
        transaction_id uuid NOT NULL,
        amount         kobo NOT NULL CONSTRAINT api_key_payments_amount_check CHECK (amount > 0),
        spent_total    numeric NOT NULL,
        is_refunded    boolean NOT NULL DEFAULT false,
        approved_at    timestamptz NOT NULL,
        PRIMARY KEY (wallet_id, key_id, seq),
        CONSTRAINT api_key_payments_transaction_key UNIQUE (wallet_id, transaction_id),
        CONSTRAINT api_key_payments_spent_total_check CHECK (spent_total >= amount)
      );
      CREATE INDEX api_key_payments_by_time ON api_key_payments (wallet_id, key_id, approved_at, seq);
      CREATE INDEX api_key_payments_refunded ON api_key_payments (wallet_id, key_id, approved_at) WHERE is_refunded;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE api_key_payments');
  }
}
