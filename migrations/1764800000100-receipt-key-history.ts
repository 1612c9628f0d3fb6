import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keys of receipts can be revoked, and the key that salts are derived from is stored, no more the JWT_SECRET's. */
export class ReceiptKeyHistory1764800000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE receipt_keys
        ADD COLUMN revoked_at timestamptz,
        ADD COLUMN revoked_reason text;
      CREATE TABLE receipt_salt_keys (
        id         uuid PRIMARY KEY,
        sealed_key text NOT NULL,
        created_at timestamptz NOT NULL
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DO $$ BEGIN
        IF EXISTS (SELECT FROM receipt_keys WHERE revoked_at IS NOT NULL) THEN
          RAISE EXCEPTION 'A key of receipts is revoked, and would be valid again: it can not be reverted.';
        END IF;
      END $$;
      ALTER TABLE receipt_keys DROP COLUMN revoked_at, DROP COLUMN revoked_reason;
      DROP TABLE receipt_salt_keys;
    `);
  }
}
