import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Cases for the operator, the sandbox's collections, and when a payout was first handed to the bank. */
export class Payouts1764100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE settlements ADD COLUMN handed_over_at timestamptz;
      CREATE TABLE operator_cases (
        id        uuid PRIMARY KEY,
        kind      text NOT NULL,
        subject   text NOT NULL,
        wallet_id uuid,
        what      text NOT NULL,
        opened_at timestamptz NOT NULL,
        closed_at timestamptz,
        UNIQUE (kind, subject)
      );
      CREATE TABLE sandbox_collections (
        reference      text PRIMARY KEY,
        account_number text NOT NULL,
        amount         kobo NOT NULL,
        narration      text,
        at             timestamptz NOT NULL
      );
      CREATE INDEX sandbox_collections_by_account ON sandbox_collections (account_number, at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE sandbox_collections, operator_cases;
      ALTER TABLE settlements DROP COLUMN handed_over_at;
    `);
  }
}
