import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Requests that replicas have taken of a limit in its newest second. */
export class RequestWindows1764810000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE UNLOGGED TABLE request_windows (
        subject text PRIMARY KEY,
        starts  timestamptz NOT NULL,
        most    integer NOT NULL,
        before  integer NOT NULL,
        taken   integer NOT NULL
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE request_windows');
  }
}
