import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keys have names, may expire, and say when they were last used: written in batches, never by a payment. */
export class ApiKeys1764460000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE api_keys
        ADD COLUMN name text,
        ADD COLUMN expires_at timestamptz,
        ADD COLUMN last_used_at timestamptz;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE api_keys DROP COLUMN name, DROP COLUMN expires_at, DROP COLUMN last_used_at',
    );
  }
}
