import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The cases of payouts that the bank took back and that no operator has closed, with the settlements that they are about. */
const TAKEN_BACK = `SELECT subject::uuid AS reference, description, opened_at FROM operator_cases
  WHERE kind = 'payout-undone-after-success' AND closed_at IS NULL`;

/**
 * Payouts that the bank took back after they had succeeded: their settlement is `reversed`, and those of payments are
 * listed, so that a search finds them without reading the others. Those that were only a case become it too.
 */
export class ReturnedPayouts1764740000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE wallets ADD COLUMN return_count integer NOT NULL DEFAULT 0;
      CREATE TABLE returned_payments (
        wallet_id      uuid NOT NULL,
        transaction_id uuid NOT NULL,
        approved_at    timestamptz NOT NULL,
        PRIMARY KEY (wallet_id, transaction_id)
      );
      CREATE INDEX returned_payments_by_time ON returned_payments (wallet_id, approved_at);

      WITH cases AS MATERIALIZED (${TAKEN_BACK}), reversed AS (
        UPDATE settlements s SET status = 'reversed', steps = s.steps || jsonb_build_array(jsonb_build_object(
                 'type', 'settlement.failed',
                 'at', to_char(c.opened_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
                 'detail', jsonb_build_object('why', c.description)))
          FROM cases c WHERE s.reference = c.reference AND s.status = 'succeeded'
        RETURNING s.reference, s.wallet_id, s.is_withdrawal
      )
      INSERT INTO returned_payments (wallet_id, transaction_id, approved_at)
      SELECT t.wallet_id, t.id, t.created_at FROM reversed r
        JOIN transactions t ON t.id = r.reference AND t.wallet_id = r.wallet_id WHERE NOT r.is_withdrawal;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Versions before take every reversed settlement for refunded.
      WITH cases AS MATERIALIZED (${TAKEN_BACK})
      UPDATE settlements s SET status = 'succeeded', steps = s.steps - (jsonb_array_length(s.steps) - 1)
        FROM cases c WHERE s.reference = c.reference AND s.status = 'reversed'
         AND NOT s.steps @> '[{"type": "refund.posted"}]';
      ALTER TABLE wallets DROP COLUMN return_count;
      DROP TABLE returned_payments;
    `);
  }
}
