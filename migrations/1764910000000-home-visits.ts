import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When each person last looked at Home, and since when news is new to them. */
export class HomeVisits1764910000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE home_visits (
        user_id uuid PRIMARY KEY,
        since timestamptz NOT NULL,
        seen_at timestamptz NOT NULL
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE home_visits');
  }
}
