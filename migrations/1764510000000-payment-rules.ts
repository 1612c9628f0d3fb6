import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What owners may ask for beyond the six checks. `controls` is null for a wallet without any of it, `limits` for a key
 * that may do what its wallet may: neither reads or writes more than before.
 * A row of `api_key_usage` belongs to each limited key: all that it ever spent, and what of that was given back.
 */
export class PaymentRules1764510000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE wallets ADD COLUMN controls jsonb;
      ALTER TABLE api_keys ADD COLUMN limits jsonb, ADD COLUMN purpose text;
      ALTER TABLE ledger_entries ADD COLUMN purpose text;

      ALTER TABLE transactions
        ADD COLUMN key_id uuid,
        ADD COLUMN purpose text;

      CREATE TABLE api_key_usage (
        wallet_id      uuid NOT NULL,
        key_id         uuid NOT NULL,
        spent_total    numeric NOT NULL DEFAULT 0,
        payment_count  bigint NOT NULL DEFAULT 0,
        refunded_total numeric NOT NULL DEFAULT 0,
        refunded_count bigint NOT NULL DEFAULT 0,
        PRIMARY KEY (wallet_id, key_id),
        CONSTRAINT api_key_usage_check CHECK (refunded_total BETWEEN 0 AND spent_total
          AND refunded_count BETWEEN 0 AND payment_count)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE api_key_usage;
      ALTER TABLE transactions DROP COLUMN key_id, DROP COLUMN purpose;
      ALTER TABLE ledger_entries DROP COLUMN purpose;
      ALTER TABLE api_keys DROP COLUMN limits, DROP COLUMN purpose;
      ALTER TABLE wallets DROP COLUMN controls;
    `);
  }
}
