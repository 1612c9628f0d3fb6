import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What members write on a payment: apart from `transactions`, so that payments stay as fast. */
export class PaymentLabels1764950000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE payment_labels (
        wallet_id      uuid NOT NULL,
        transaction_id uuid NOT NULL,
        account_id     uuid NOT NULL,
        requested_at   timestamptz NOT NULL,
        memo           text,
        category       text,
        cost_centre    text,
        changed_at     timestamptz NOT NULL,
        PRIMARY KEY (wallet_id, transaction_id),
        CONSTRAINT payment_labels_length_check
          CHECK (char_length(memo) <= 500 AND char_length(category) <= 60 AND char_length(cost_centre) <= 60)
      );
      CREATE INDEX payment_labels_by_time ON payment_labels (wallet_id, requested_at);
      CREATE INDEX payment_labels_category ON payment_labels (wallet_id, category, requested_at)
        WHERE category IS NOT NULL;
      CREATE INDEX payment_labels_cost_centre ON payment_labels (wallet_id, cost_centre, requested_at)
        WHERE cost_centre IS NOT NULL;
      CREATE INDEX payment_labels_changed ON payment_labels (account_id, changed_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE payment_labels');
  }
}
