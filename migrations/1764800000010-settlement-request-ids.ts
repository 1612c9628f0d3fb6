import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The request that a payment came with, for log lines of what follows. At most 64 characters: see `requestId`. */
export class SettlementRequestIds1764800000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE settlements ADD COLUMN request_id text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE settlements DROP COLUMN request_id');
  }
}
