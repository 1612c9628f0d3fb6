import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The last warning of each budget and share, so that each is given once in its window. */
export class LimitWarnings1764860000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE limit_warnings (
        wallet_id    uuid NOT NULL,
        key_id       uuid NOT NULL,
        budget       text NOT NULL CONSTRAINT limit_warnings_budget_check CHECK (budget IN ('period', 'total')),
        percent      integer NOT NULL CONSTRAINT limit_warnings_percent_check CHECK (percent IN (80, 100)),
        limit_amount bigint NOT NULL,
        warned_at    timestamptz NOT NULL,
        PRIMARY KEY (wallet_id, key_id, budget, percent)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE limit_warnings');
  }
}
