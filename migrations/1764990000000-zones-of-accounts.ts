import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Time zones by account, as the user who opened one may have left it. `users.time_zone` is read no more. */
export class ZonesOfAccounts1764990000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE account_time_zones (
        account_id uuid PRIMARY KEY,
        time_zone  text NOT NULL
      );
      INSERT INTO account_time_zones (account_id, time_zone)
      SELECT id, time_zone FROM users WHERE time_zone <> 'Africa/Lagos';
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      UPDATE users u SET time_zone = z.time_zone FROM account_time_zones z WHERE z.account_id = u.id;
      DROP TABLE account_time_zones;
    `);
  }
}
