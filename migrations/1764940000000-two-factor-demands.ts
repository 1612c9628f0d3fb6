import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Accounts whose members must have a second factor. */
export class TwoFactorDemands1764940000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE two_factor_demands (
        account_id uuid PRIMARY KEY,
        created_at timestamptz NOT NULL
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE two_factor_demands');
  }
}
