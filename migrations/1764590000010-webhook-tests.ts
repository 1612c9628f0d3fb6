import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * When a user's tests of webhooks were sent: a test that is sent again keeps its delivery, so that deliveries do not say
 * how many there were. A user has 60 rows at most: each new one removes those that are older than an hour.
 */
export class WebhookTests1764590000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE webhook_tests (
        user_id     uuid NOT NULL,
        id          uuid NOT NULL,
        endpoint_id uuid NOT NULL,
        at          timestamptz NOT NULL,
        PRIMARY KEY (user_id, id)
      );
      DROP INDEX webhook_deliveries_tests;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX webhook_deliveries_tests ON webhook_deliveries (endpoint_id, created_at) WHERE is_test;
      DROP TABLE webhook_tests;
    `);
  }
}
