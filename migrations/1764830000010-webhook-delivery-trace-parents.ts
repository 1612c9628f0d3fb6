import type { MigrationInterface, QueryRunner } from 'typeorm';

/** W3C `traceparent` of the request, for spans of what follows; null where traces are off. */
export class WebhookDeliveryTraceParents1764830000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhook_deliveries ADD COLUMN trace_parent text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhook_deliveries DROP COLUMN trace_parent');
  }
}
