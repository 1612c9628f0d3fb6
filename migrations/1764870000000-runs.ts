import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The run that a payment belongs to and why it is made, in the agent's words: at most 100 and 1,000 characters. */
export class Runs1764870000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE transactions ADD COLUMN run_id text, ADD COLUMN rationale text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE transactions DROP COLUMN rationale, DROP COLUMN run_id');
  }
}
