import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Where the months of an account begin at midnight. */
export class AccountTimeZones1764920000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE users ADD COLUMN time_zone text NOT NULL DEFAULT 'Africa/Lagos'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE users DROP COLUMN time_zone');
  }
}
