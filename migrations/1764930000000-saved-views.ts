import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lists that a person named. */
export class SavedViews1764930000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE saved_views (
        user_id uuid PRIMARY KEY,
        views   jsonb NOT NULL
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE saved_views');
  }
}
