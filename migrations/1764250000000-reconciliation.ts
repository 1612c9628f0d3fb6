import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lets what a wallet was credited with in a time be found without reading all of it. */
export class Reconciliation1764250000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX inbound_transfers_credited ON inbound_transfers (wallet_id, received_at)
        WHERE status = 'credited';
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX inbound_transfers_credited');
  }
}
