import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The account that a key with limits first paid a merchant at binds the merchant for that key alone, under the key's
 * history; the nil UUID stands for the whole wallet. What was remembered before stays the whole wallet's.
 */
export class PayeesOfLimitedKeys1764780000030 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE wallet_payees
        ADD COLUMN history_id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
        DROP CONSTRAINT wallet_payees_pkey,
        ADD PRIMARY KEY (wallet_id, merchant, account_number, bank_code, history_id);
    `);
  }

  /** Before, what was bound was so for all keys: what a limited key bound for itself is forgotten. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DELETE FROM wallet_payees WHERE history_id <> '00000000-0000-0000-0000-000000000000';
      ALTER TABLE wallet_payees
        DROP CONSTRAINT wallet_payees_pkey,
        ADD PRIMARY KEY (wallet_id, merchant, account_number, bank_code),
        DROP COLUMN history_id;
    `);
  }
}
