import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lines of the activity log may go once they are old, and an invitation that expired is recorded once. */
export class KeptActivity1764890000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER account_activity_append_only ON account_activity;
      CREATE TRIGGER account_activity_append_only BEFORE UPDATE OR TRUNCATE ON account_activity
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting();
      -- the least that ACTIVITY_KEPT_DAYS can be
      CREATE TRIGGER account_activity_kept BEFORE DELETE ON account_activity
        FOR EACH ROW WHEN (old.at > clock_timestamp() - interval '90 days') EXECUTE FUNCTION refuse_rewriting();
      ALTER TABLE member_invitations ADD COLUMN expiry_recorded_at timestamptz;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE member_invitations DROP COLUMN expiry_recorded_at;
      DROP TRIGGER account_activity_kept ON account_activity;
      DROP TRIGGER account_activity_append_only ON account_activity;
      CREATE TRIGGER account_activity_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON account_activity
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting();
    `);
  }
}
