import type { MigrationInterface, QueryRunner } from 'typeorm';

/** W3C `traceparent` of the request, for spans of what follows; null where traces are off. */
export class SettlementTraceParents1764830000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE settlements ADD COLUMN trace_parent text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE settlements DROP COLUMN trace_parent');
  }
}
