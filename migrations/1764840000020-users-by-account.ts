import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently } from '../src/platform/database/migration-runs.js';

/** Finds the members of an account, and validates their roles. Run again after a failure, it does what is left. */
export class UsersByAccount1764840000020 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await createIndexConcurrently(
      runner,
      'users_by_account',
      'ON users (account_id) WHERE account_id IS NOT NULL',
    );
    await runner.query('ALTER TABLE users VALIDATE CONSTRAINT users_role_check');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX IF EXISTS users_by_account');
  }
}
