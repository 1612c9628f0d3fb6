import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Which wallets were suspended all at once, and when, so that those alone are resumed together. Those that were
 * suspended before have no such time: it is not on record.
 */
export class SuspendedAll1764760000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE wallets ADD COLUMN suspended_all_at timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE wallets DROP COLUMN suspended_all_at');
  }
}
