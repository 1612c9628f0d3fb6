import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Each payment that counts in what its new key, or its new payee, may still be paid with; it goes when the money comes
 * back, and with it what was counted. An account may have such payments before any was approved: they wait for a person.
 */
export class CoolingOff1764520000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE wallet_paid_accounts ALTER COLUMN first_paid_at DROP NOT NULL;
      CREATE TABLE cooling_off_payments (
        wallet_id      uuid NOT NULL,
        transaction_id uuid NOT NULL,
        key_id         uuid,
        account_number text,
        bank_code      text,
        amount         kobo NOT NULL CONSTRAINT cooling_off_payments_amount_check CHECK (amount > 0),
        PRIMARY KEY (wallet_id, transaction_id),
        CONSTRAINT cooling_off_payments_check CHECK (
          (account_number IS NULL) = (bank_code IS NULL) AND num_nonnulls(key_id, account_number) > 0)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE cooling_off_payments;
      DELETE FROM wallet_paid_accounts WHERE first_paid_at IS NULL;
      ALTER TABLE wallet_paid_accounts ALTER COLUMN first_paid_at SET NOT NULL;
    `);
  }
}
