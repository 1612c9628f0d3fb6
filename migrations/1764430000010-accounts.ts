import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What an account needs beside a password: sessions that their owner can tell apart, resets, a second factor. */
export class Accounts1764430000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE sessions
        ADD COLUMN created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        ADD COLUMN address    text,
        ADD COLUMN user_agent text;
      ALTER TABLE sessions ALTER COLUMN created_at DROP DEFAULT;
      CREATE INDEX sessions_by_user ON sessions (user_id, created_at);

      -- a link that was sent and not used; its token is signed and names the row
      CREATE TABLE password_resets (
        id         uuid PRIMARY KEY,
        user_id    uuid NOT NULL CONSTRAINT password_resets_user_id_fkey REFERENCES users,
        expires_at timestamptz NOT NULL
      );
      CREATE INDEX password_resets_by_user ON password_resets (user_id);
      CREATE INDEX password_resets_expiry ON password_resets (expires_at);

      CREATE TABLE two_factors (
        user_id       uuid PRIMARY KEY CONSTRAINT two_factors_user_id_fkey REFERENCES users,
        sealed_secret text NOT NULL,
        -- null until a first code proved that the owner's app has the secret
        confirmed_at  timestamptz,
        -- the time step of the last code that was taken: no code is taken twice
        last_step     bigint NOT NULL DEFAULT 0
      );
      CREATE TABLE recovery_codes (
        user_id uuid NOT NULL CONSTRAINT recovery_codes_user_id_fkey REFERENCES two_factors ON DELETE CASCADE,
        hash    bytea NOT NULL,
        PRIMARY KEY (user_id, hash)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE recovery_codes, two_factors, password_resets;
      DROP INDEX sessions_by_user;
      ALTER TABLE sessions DROP COLUMN created_at, DROP COLUMN address, DROP COLUMN user_agent;
    `);
  }
}
