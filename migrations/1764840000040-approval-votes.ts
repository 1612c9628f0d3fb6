import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Approvals of payments that take two members: one row a member. */
export class ApprovalVotes1764840000040 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE approval_votes (
        wallet_id      uuid NOT NULL,
        transaction_id uuid NOT NULL,
        user_id        uuid NOT NULL,
        at             timestamptz NOT NULL,
        PRIMARY KEY (wallet_id, transaction_id, user_id)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE approval_votes');
  }
}
