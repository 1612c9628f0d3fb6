import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Notifications are pushed to browsers, too. */
export class WebPush1764980000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE notice_settings ADD COLUMN push boolean;
      ALTER TABLE notices ADD COLUMN push_due boolean NOT NULL DEFAULT false;
      CREATE TABLE push_keys (
        id                 uuid PRIMARY KEY,
        public_key         text NOT NULL,
        sealed_private_key text NOT NULL,
        created_at         timestamptz NOT NULL
      );
      CREATE TABLE push_subscriptions (
        id         uuid PRIMARY KEY,
        user_id    uuid NOT NULL,
        session_id uuid NOT NULL,
        key_id     uuid NOT NULL,
        endpoint   text NOT NULL,
        p256dh     text NOT NULL,
        auth       text NOT NULL,
        device     text,
        created_at timestamptz NOT NULL,
        CONSTRAINT push_subscriptions_endpoint_key UNIQUE (endpoint)
      );
      CREATE INDEX push_subscriptions_by_user ON push_subscriptions (user_id, created_at);
      CREATE TABLE push_budgets (
        user_id uuid PRIMARY KEY,
        hour    timestamptz NOT NULL,
        pushes  integer NOT NULL
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE notice_settings DROP COLUMN push;
      ALTER TABLE notices DROP COLUMN push_due;
      DROP TABLE push_budgets, push_subscriptions, push_keys;
    `);
  }
}
