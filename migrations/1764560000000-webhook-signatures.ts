import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keeps what signed an attempt, so that its request can be shown whole after the secret was rotated. */
export class WebhookSignatures1764560000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhook_attempts ADD COLUMN signature text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhook_attempts DROP COLUMN signature');
  }
}
