import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Fewer entries of indexes for a webhook delivery, which is written three times: the key is `(endpoint_id, id)`, which the
 * pages of an endpoint's list go by, instead of `id` beside an index of that. The foreign key of attempts goes with it:
 * it cost each attempt a look-up and a lock, and what it did, deleting attempts with their delivery, the purge does.
 */
export class WebhookDeliveryKeys1764590000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE webhook_attempts DROP CONSTRAINT webhook_attempts_delivery_id_fkey;
      DROP INDEX webhook_deliveries_by_endpoint;
      ALTER TABLE webhook_deliveries DROP CONSTRAINT webhook_deliveries_pkey, ADD PRIMARY KEY (endpoint_id, id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE webhook_deliveries DROP CONSTRAINT webhook_deliveries_pkey, ADD PRIMARY KEY (id);
      CREATE INDEX webhook_deliveries_by_endpoint ON webhook_deliveries (endpoint_id, id);
      DELETE FROM webhook_attempts a WHERE NOT EXISTS (SELECT FROM webhook_deliveries d WHERE d.id = a.delivery_id);
      ALTER TABLE webhook_attempts ADD CONSTRAINT webhook_attempts_delivery_id_fkey
        FOREIGN KEY (delivery_id) REFERENCES webhook_deliveries ON DELETE CASCADE;
    `);
  }
}
