import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The keys that sign receipts. One is active; of the others only the public half is kept, so that old receipts stay
 * valid and nothing can be signed by them any more.
 */
export class ReceiptKeys1764540000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE receipt_keys (
        kid                text PRIMARY KEY,
        -- base64url
        public_key         text NOT NULL,
        sealed_private_key text,
        created_at         timestamptz NOT NULL,
        retired_at         timestamptz,
        CONSTRAINT receipt_keys_check CHECK ((retired_at IS NULL) = (sealed_private_key IS NOT NULL))
      );
      CREATE UNIQUE INDEX receipt_keys_active ON receipt_keys ((retired_at IS NULL)) WHERE retired_at IS NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE receipt_keys');
  }
}
