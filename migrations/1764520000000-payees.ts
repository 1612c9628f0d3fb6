import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The accounts that a merchant may be paid at, and what new keys and new payees have spent while they cool off. Rows
 * come only where an owner asks for it, but for the first account of a merchant: it is kept with the merchant, so that
 * a policy that is turned on later knows whom the wallet has paid before.
 */
export class Payees1764520000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE wallet_payees (
        wallet_id            uuid NOT NULL,
        merchant             text NOT NULL,
        account_number       text NOT NULL,
        bank_code            text NOT NULL,
        id                   uuid NOT NULL,
        merchant_name        text NOT NULL,
        account_name         text,
        origin               text NOT NULL
          CONSTRAINT wallet_payees_origin_check CHECK (origin IN ('registered', 'first_use')),
        first_transaction_id uuid,
        created_at           timestamptz NOT NULL,
        PRIMARY KEY (wallet_id, merchant, account_number, bank_code),
        CONSTRAINT wallet_payees_id_key UNIQUE (wallet_id, id)
      );
      CREATE INDEX wallet_payees_by_account ON wallet_payees (wallet_id, account_number, bank_code);

      CREATE TABLE wallet_paid_accounts (
        wallet_id      uuid NOT NULL,
        account_number text NOT NULL,
        bank_code      text NOT NULL,
        first_paid_at  timestamptz NOT NULL,
        cooling_spent  kobo NOT NULL DEFAULT 0,
        PRIMARY KEY (wallet_id, account_number, bank_code)
      );

      ALTER TABLE api_keys
        ADD COLUMN age_from timestamptz,
        ADD COLUMN cooling_spent kobo NOT NULL DEFAULT 0;

      ALTER TABLE wallet_merchants
        ADD COLUMN account_number text,
        ADD COLUMN bank_code text,
        ADD COLUMN first_transaction_id uuid,
        ADD COLUMN first_paid_at timestamptz,
        ADD CONSTRAINT wallet_merchants_account_check CHECK (
          num_nulls(account_number, bank_code, first_transaction_id, first_paid_at) IN (0, 4));
      UPDATE wallet_merchants m
         SET account_number = t.recipient_account_no, bank_code = t.recipient_bank_code,
             first_transaction_id = t.id, first_paid_at = t.created_at
        FROM (SELECT DISTINCT ON (wallet_id, merchant) * FROM transactions WHERE block_reason IS NULL
               ORDER BY wallet_id, merchant, seq) t
       WHERE t.wallet_id = m.wallet_id AND t.merchant = m.merchant;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE wallet_merchants DROP COLUMN account_number, DROP COLUMN bank_code,
        DROP COLUMN first_transaction_id, DROP COLUMN first_paid_at;
      ALTER TABLE api_keys DROP COLUMN age_from, DROP COLUMN cooling_spent;
      DROP TABLE wallet_paid_accounts, wallet_payees;
    `);
  }
}
