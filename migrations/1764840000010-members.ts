import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Members of an account, with their roles, and invitations. A user without `account_id` is an account of the own id. */
export class Members1764840000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE member_invitations (
        id          uuid PRIMARY KEY,
        account_id  uuid NOT NULL,
        email       text NOT NULL,
        role        text NOT NULL CONSTRAINT member_invitations_role_check
                      CHECK (role IN ('owner', 'approver', 'developer', 'viewer', 'accountant')),
        invited_by  uuid NOT NULL,
        created_at  timestamptz NOT NULL,
        expires_at  timestamptz NOT NULL,
        accepted_at timestamptz,
        revoked_at  timestamptz
      );
      CREATE UNIQUE INDEX member_invitations_open ON member_invitations (account_id, email)
        WHERE accepted_at IS NULL AND revoked_at IS NULL;
      ALTER TABLE users
        ADD COLUMN account_id uuid,
        ADD COLUMN role text,
        ADD COLUMN joined_at timestamptz,
        ADD CONSTRAINT users_role_check
          CHECK (role IN ('owner', 'approver', 'developer', 'viewer', 'accountant')) NOT VALID;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DO $$ BEGIN
        IF EXISTS (SELECT FROM users WHERE account_id IS NOT NULL) THEN
          RAISE EXCEPTION 'A business has members, who would lose it: it can not be reverted.';
        END IF;
      END $$;
      DROP TABLE member_invitations;
      ALTER TABLE users DROP COLUMN joined_at, DROP COLUMN role, DROP COLUMN account_id;
    `);
  }
}
