import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Ended settlements of closed months, densely stored: see `npm run archive`. */
export class ArchivedSettlements1764820000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE archived_settlements (
        reference     uuid NOT NULL,
        wallet_id     uuid NOT NULL,
        amount        bigint NOT NULL,
        approved_at   timestamptz NOT NULL,
        submitted_at  timestamptz,
        -- instead of steps, if the bank paid it and nothing else happened
        paid_at       timestamptz,
        poll_count    integer NOT NULL,
        is_withdrawal boolean NOT NULL,
        status        text NOT NULL,
        account_no    text NOT NULL,
        bank_code     text NOT NULL,
        narration     text NOT NULL,
        request_id    text,
        trace_parent  text,
        steps         jsonb,
        PRIMARY KEY (reference, wallet_id),
        CONSTRAINT archived_settlements_status_check CHECK (status IN ('succeeded', 'failed', 'reversed')),
        CONSTRAINT archived_settlements_steps_check CHECK ((steps IS NULL) = (paid_at IS NOT NULL))
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE archived_settlements');
  }
}
