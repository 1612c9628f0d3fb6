import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The keys that took over the age of the one that paid, with what it had paid: they get it back with that one. Which
 * keys did so before is not on record, so that theirs stays as it was taken over.
 */
export class InheritedAges1764600000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE cooling_off_payments ADD COLUMN inherited_by uuid[] NOT NULL DEFAULT '{}'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE cooling_off_payments DROP COLUMN inherited_by');
  }
}
