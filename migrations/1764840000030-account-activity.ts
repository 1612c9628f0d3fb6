import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the members of an account did, each with the address: rows that never change. */
export class AccountActivity1764840000030 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE account_activity (
        account_id uuid NOT NULL,
        id         uuid NOT NULL,
        at         timestamptz NOT NULL,
        user_id    uuid,
        actor      text,
        act        text NOT NULL,
        subject    text,
        before     jsonb,
        after      jsonb,
        address    text,
        request_id text,
        PRIMARY KEY (account_id, id)
      );
      CREATE INDEX account_activity_by_time ON account_activity (account_id, at);
      CREATE TRIGGER account_activity_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON account_activity
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting();
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE account_activity');
  }
}
