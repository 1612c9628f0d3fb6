import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Passkeys and their challenges. Recovery codes belong to the user: an authenticator app may be missing. */
export class Passkeys1764890000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- NOT VALID: each code had an authenticator app, which has a user
      ALTER TABLE recovery_codes
        DROP CONSTRAINT recovery_codes_user_id_fkey,
        ADD CONSTRAINT recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users NOT VALID;
      CREATE TABLE passkeys (
        id            uuid PRIMARY KEY,
        user_id       uuid NOT NULL CONSTRAINT passkeys_user_id_fkey REFERENCES users,
        credential_id bytea NOT NULL CONSTRAINT passkeys_credential_id_key UNIQUE,
        public_key    bytea NOT NULL,
        counter       bigint NOT NULL CONSTRAINT passkeys_counter_check CHECK (counter >= 0),
        transports    jsonb NOT NULL,
        name          text NOT NULL,
        created_at    timestamptz NOT NULL,
        last_used_at  timestamptz
      );
      CREATE INDEX passkeys_by_user ON passkeys (user_id);
      CREATE TABLE passkey_challenges (
        challenge  bytea PRIMARY KEY,
        user_id    uuid NOT NULL CONSTRAINT passkey_challenges_user_id_fkey REFERENCES users,
        session_id uuid,
        purpose    text NOT NULL
                     CONSTRAINT passkey_challenges_purpose_check CHECK (purpose IN ('registration', 'proof')),
        expires_at timestamptz NOT NULL
      );
      CREATE INDEX passkey_challenges_by_user ON passkey_challenges (user_id);
      CREATE INDEX passkey_challenges_expiry ON passkey_challenges (expires_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DO $$ BEGIN
        IF EXISTS (SELECT FROM passkeys) THEN
          RAISE EXCEPTION 'Users have passkeys, and would lose their second factor: it can not be reverted.';
        END IF;
      END $$;
      DELETE FROM recovery_codes r WHERE NOT EXISTS (SELECT FROM two_factors t WHERE t.user_id = r.user_id);
      ALTER TABLE recovery_codes
        DROP CONSTRAINT recovery_codes_user_id_fkey,
        ADD CONSTRAINT recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES two_factors ON DELETE CASCADE;
      DROP TABLE passkey_challenges, passkeys;
    `);
  }
}
