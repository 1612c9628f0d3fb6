import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When the user of a session last gave a second factor: what asks for one asks again ten minutes later. */
export class StepUp1764760000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sessions ADD COLUMN second_factor_at timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sessions DROP COLUMN second_factor_at');
  }
}
