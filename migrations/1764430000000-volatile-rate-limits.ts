import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Rate limits are counted without waiting for the disk: every login counts several times, and payments need the same
 * disk for their commits. A crash of the database, or a change to its standby, starts the counters anew.
 */
export class VolatileRateLimits1764430000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE rate_limits SET UNLOGGED');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE rate_limits SET LOGGED');
  }
}
