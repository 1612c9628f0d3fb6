import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a key requires of each payment: `runId`, `rationale` or both; null: nothing. */
export class RequiredOfPayments1764870000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_keys ADD COLUMN requires text[]');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_keys DROP COLUMN requires');
  }
}
