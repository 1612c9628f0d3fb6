import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What owners may ask for beyond the six checks. `controls` is null for a wallet without any of it, `limits` for a key
 * that may do what its wallet may: neither reads or writes more than before.
 *
 * `key_spent_total` is all that a limited key ever spent, the attempt included; null for other keys. A row of
 * `api_key_usage` belongs to each limited key: `window_days` says for which window `window_spent` is true, null that it
 * has to be read again; `window_from` is the time of the first payment in it, null when there is none.
 */
export class PaymentRules1764510000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE wallets ADD COLUMN controls jsonb;
      ALTER TABLE api_keys ADD COLUMN limits jsonb, ADD COLUMN purpose text;
      ALTER TABLE ledger_entries ADD COLUMN purpose text;

      ALTER TABLE transactions
        ADD COLUMN key_id uuid,
        ADD COLUMN purpose text,
        ADD COLUMN key_spent_total numeric CONSTRAINT transactions_key_spent_total_check CHECK (key_spent_total >= 0);
      CREATE INDEX transactions_of_limited_key ON transactions (wallet_id, key_id, created_at, seq)
        WHERE key_spent_total IS NOT NULL;
      ALTER TABLE refunded_payments ADD COLUMN key_id uuid;
      CREATE INDEX refunded_payments_of_limited_key ON refunded_payments (wallet_id, key_id, approved_at)
        WHERE key_id IS NOT NULL;

      CREATE TABLE api_key_usage (
        wallet_id      uuid NOT NULL,
        key_id         uuid NOT NULL,
        spent_total    numeric NOT NULL DEFAULT 0,
        payment_count  bigint NOT NULL DEFAULT 0,
        refunded_total numeric NOT NULL DEFAULT 0,
        refunded_count bigint NOT NULL DEFAULT 0,
        window_spent   bigint NOT NULL DEFAULT 0,
        window_from    timestamptz,
        window_days    integer,
        PRIMARY KEY (wallet_id, key_id),
        CONSTRAINT api_key_usage_check CHECK (refunded_total BETWEEN 0 AND spent_total
          AND refunded_count BETWEEN 0 AND payment_count AND window_spent >= 0)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE api_key_usage;
      DROP INDEX refunded_payments_of_limited_key;
      ALTER TABLE refunded_payments DROP COLUMN key_id;
      DROP INDEX transactions_of_limited_key;
      ALTER TABLE transactions DROP COLUMN key_id, DROP COLUMN purpose, DROP COLUMN key_spent_total;
      ALTER TABLE ledger_entries DROP COLUMN purpose;
      ALTER TABLE api_keys DROP COLUMN limits, DROP COLUMN purpose;
      ALTER TABLE wallets DROP COLUMN controls;
    `);
  }
}
