import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently } from '../src/platform/database/migration-runs.js';

/** Finds inbound transfers that wait for an operator. */
export class OpenTransfers1764850000020 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await createIndexConcurrently(
      runner,
      'inbound_transfers_open',
      `ON inbound_transfers (received_at, id) WHERE status IN ('held', 'unmatched', 'conflict') AND returned_at IS NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX IF EXISTS inbound_transfers_open');
  }
}
