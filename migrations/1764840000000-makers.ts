import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who made a wallet or key, now that several people share an account: `wallets.user_id` is the account. */
export class Makers1764840000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE wallets ADD COLUMN made_by_user_id uuid;
      ALTER TABLE api_keys ADD COLUMN made_by_user_id uuid;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE wallets DROP COLUMN made_by_user_id;
      ALTER TABLE api_keys DROP COLUMN made_by_user_id;
    `);
  }
}
