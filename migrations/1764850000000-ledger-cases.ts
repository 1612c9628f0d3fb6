import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Entries that an operator made name the case that they resolve. */
export class LedgerCases1764850000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE ledger_entries ADD COLUMN case_id uuid');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE ledger_entries DROP COLUMN case_id');
  }
}
