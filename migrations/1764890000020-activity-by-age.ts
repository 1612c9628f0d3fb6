import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently } from '../src/platform/database/migration-runs.js';

/** Finds the lines of the activity log that are too old. Run again after a failure, it does what is left. */
export class ActivityByAge1764890000020 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await createIndexConcurrently(runner, 'account_activity_by_age', 'ON account_activity (at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX IF EXISTS account_activity_by_age');
  }
}
