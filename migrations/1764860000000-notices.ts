import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What members of an account are told, and by which way. */
export class Notices1764860000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE notices (
        id           uuid PRIMARY KEY,
        user_id      uuid NOT NULL,
        account_id   uuid NOT NULL,
        kind         text NOT NULL,
        key          text,
        wallet_id    uuid,
        subject_id   uuid,
        data         jsonb NOT NULL,
        created_at   timestamptz NOT NULL,
        read_at      timestamptz,
        outcome      text,
        outcome_by   text,
        outcome_at   timestamptz,
        mail_due     boolean NOT NULL,
        leased_until timestamptz,
        CONSTRAINT notices_user_id_key_key UNIQUE (user_id, key),
        CONSTRAINT notices_outcome_check CHECK ((outcome IS NULL) = (outcome_at IS NULL))
      );
      CREATE INDEX notices_by_user ON notices (user_id, id);
      CREATE INDEX notices_by_key ON notices (account_id, key) WHERE key IS NOT NULL;
      CREATE TABLE notice_settings (
        user_id uuid NOT NULL,
        kind    text NOT NULL,
        mail    boolean NOT NULL,
        PRIMARY KEY (user_id, kind)
      );
      CREATE TABLE notice_mail_budgets (
        account_id uuid PRIMARY KEY,
        hour       timestamptz NOT NULL,
        mails      integer NOT NULL
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE notice_mail_budgets, notice_settings, notices');
  }
}
