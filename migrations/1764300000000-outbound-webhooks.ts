import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The tables of the outbound webhooks. A delivery is its own durable job: written in the transaction that made
 * the event, claimed for a short lease, and pending until an answer is on record. It has no foreign key to its
 * endpoint, so that a payment never waits for a change of one; endpoints are marked deleted, not removed.
 */
export class OutboundWebhooks1764300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE webhook_endpoints (
        id              uuid PRIMARY KEY,
        user_id         uuid NOT NULL,
        url             text NOT NULL,
        events          text[] NOT NULL CHECK (cardinality(events) > 0),
        -- null: every wallet of the user, those made later included
        wallet_ids      uuid[] CHECK (cardinality(wallet_ids) > 0),
        description     text,
        status          text NOT NULL DEFAULT 'enabled' CHECK (status IN ('enabled', 'disabled')),
        disabled_reason text,
        disabled_at     timestamptz,
        -- newest first; each encrypted, with the time at which it stops signing
        secrets         jsonb NOT NULL,
        -- since when every attempt failed; null after a success
        failing_since   timestamptz,
        last_failed_at  timestamptz,
        created_at      timestamptz NOT NULL,
        deleted_at      timestamptz,
        CHECK ((status = 'disabled') = (disabled_at IS NOT NULL))
      );
      CREATE INDEX webhook_endpoints_by_user ON webhook_endpoints (user_id) WHERE deleted_at IS NULL;

      CREATE TABLE webhook_deliveries (
        id              uuid PRIMARY KEY,
        endpoint_id     uuid NOT NULL,
        -- the header webhook-id: one event has one id, at every endpoint and over all attempts
        event_id        uuid NOT NULL,
        event           text NOT NULL,
        wallet_id       uuid,
        is_test         boolean NOT NULL DEFAULT false,
        -- the bytes that are signed and sent
        body            text NOT NULL,
        status          text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'succeeded', 'failed')),
        -- attempts since it was made or last resent, and in all
        tries           integer NOT NULL DEFAULT 0,
        attempts        integer NOT NULL DEFAULT 0,
        next_attempt_at timestamptz NOT NULL,
        -- the attempt under way; it is over, whatever became of it, at next_attempt_at
        claim           uuid,
        claimed_at      timestamptz,
        last_attempt_at timestamptz,
        finished_at     timestamptz,
        why             text,
        created_at      timestamptz NOT NULL,
        CHECK ((claim IS NULL) = (claimed_at IS NULL)),
        CHECK ((status = 'pending') = (finished_at IS NULL))
      ) WITH (fillfactor = 70);
      CREATE INDEX webhook_deliveries_due ON webhook_deliveries (endpoint_id, next_attempt_at)
        WHERE status = 'pending';
      CREATE INDEX webhook_deliveries_by_endpoint ON webhook_deliveries (endpoint_id, id);

      CREATE TABLE webhook_attempts (
        delivery_id uuid NOT NULL REFERENCES webhook_deliveries ON DELETE CASCADE,
        id          uuid NOT NULL,
        at          timestamptz NOT NULL,
        duration_ms integer,
        status_code integer,
        response    text,
        error       text,
        PRIMARY KEY (delivery_id, id)
      );

      CREATE TABLE low_balance_thresholds (
        wallet_id uuid PRIMARY KEY,
        threshold kobo NOT NULL CHECK (threshold > 0)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'DROP TABLE low_balance_thresholds, webhook_attempts, webhook_deliveries, webhook_endpoints;',
    );
  }
}
