import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Renames the case kind `bank-refuses-us`. A case that stands under the new name already is kept as it is. */
export class BankAccessDenied1764790000050 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await rename(runner, 'bank-refuses-us', 'bank-access-denied');
  }

  async down(runner: QueryRunner): Promise<void> {
    await rename(runner, 'bank-access-denied', 'bank-refuses-us');
  }
}

async function rename(runner: QueryRunner, before: string, after: string): Promise<void> {
  await runner.query(
    `UPDATE operator_cases c SET kind = $2
      WHERE kind = $1 AND NOT EXISTS (SELECT FROM operator_cases o WHERE o.kind = $2 AND o.subject = c.subject)`,
    [before, after],
  );
}
