import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Several keys may sign receipts at a time, one for each JWT_SECRET in use: while a secret is being changed, replicas
 * under the old one and the new one each keep the key that they can open.
 */
export class ReceiptKeysBySecret1764730000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- null: sealed by a release before this one
      ALTER TABLE receipt_keys ADD COLUMN sealed_by text;
      DROP INDEX receipt_keys_active;
      CREATE UNIQUE INDEX receipt_keys_active ON receipt_keys (sealed_by) NULLS NOT DISTINCT WHERE retired_at IS NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      UPDATE receipt_keys SET retired_at = clock_timestamp(), sealed_private_key = NULL
       WHERE retired_at IS NULL
         AND kid <> (SELECT kid FROM receipt_keys WHERE retired_at IS NULL ORDER BY created_at DESC LIMIT 1);
      DROP INDEX receipt_keys_active;
      ALTER TABLE receipt_keys DROP COLUMN sealed_by;
      CREATE UNIQUE INDEX receipt_keys_active ON receipt_keys ((retired_at IS NULL)) WHERE retired_at IS NULL;
    `);
  }
}
