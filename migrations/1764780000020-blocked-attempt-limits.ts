import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * How far the blocked attempts of each key have gone ahead of what is allowed a minute: one row a key, written under its
 * wallet's lock with the attempts themselves.
 */
export class BlockedAttemptLimits1764780000020 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE blocked_attempt_limits (
        wallet_id uuid NOT NULL,
        key_id    uuid NOT NULL,
        even_at   timestamptz NOT NULL,
        PRIMARY KEY (wallet_id, key_id)
      ) WITH (fillfactor = 50);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE blocked_attempt_limits');
  }
}
