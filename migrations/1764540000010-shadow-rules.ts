import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Rules that are judged beside those of a wallet and never applied: up to which attempt they were judged, and what
 * came of it. `block_reason` of a flip is null where the attempt would have been approved.
 */
export class ShadowRules1764540000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE shadow_rules (
        wallet_id         uuid PRIMARY KEY,
        rules             jsonb NOT NULL,
        since             timestamptz NOT NULL,
        judged_seq        bigint NOT NULL,
        judged_count      bigint NOT NULL DEFAULT 0,
        to_approved_count bigint NOT NULL DEFAULT 0,
        to_approved_sum   numeric NOT NULL DEFAULT 0,
        to_blocked_count  bigint NOT NULL DEFAULT 0,
        to_blocked_sum    numeric NOT NULL DEFAULT 0,
        CONSTRAINT shadow_rules_check CHECK (judged_seq >= 0 AND judged_count >= to_approved_count + to_blocked_count)
      );
      CREATE TABLE shadow_flips (
        wallet_id      uuid NOT NULL,
        seq            bigint NOT NULL,
        transaction_id uuid NOT NULL,
        block_reason   text,
        PRIMARY KEY (wallet_id, seq)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE shadow_flips, shadow_rules');
  }
}
