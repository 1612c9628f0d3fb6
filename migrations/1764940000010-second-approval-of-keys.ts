import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Kobo above which a payment by the key that waits takes two members; null: as the wallet says. */
export class SecondApprovalOfKeys1764940000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_keys ADD COLUMN second_approval_above bigint');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE api_keys DROP COLUMN second_approval_above');
  }
}
