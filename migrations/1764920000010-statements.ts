import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Statements of months, their files in pieces, and who is mailed them. */
export class Statements1764920000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE statements (
        id           uuid PRIMARY KEY,
        account_id   uuid NOT NULL,
        scope_id     uuid NOT NULL,
        month        text NOT NULL,
        version      integer NOT NULL,
        time_zone    text NOT NULL,
        starts_at    timestamptz NOT NULL,
        ends_at      timestamptz NOT NULL,
        is_final     boolean NOT NULL,
        status       text NOT NULL DEFAULT 'waiting',
        rows         bigint,
        rows_done    bigint NOT NULL DEFAULT 0,
        opening      bigint,
        received     bigint,
        paid_out     bigint,
        refunded     bigint,
        closing      bigint,
        pdf_bytes    bigint,
        pdf_sha256   text,
        csv_bytes    bigint,
        csv_sha256   text,
        signature    text,
        problem      text,
        created_at   timestamptz NOT NULL,
        ended_at     timestamptz,
        lease        uuid,
        leased_until timestamptz,
        tries        integer NOT NULL DEFAULT 0,
        CONSTRAINT statements_scope_month_version_key UNIQUE (account_id, scope_id, month, version),
        CONSTRAINT statements_status_check CHECK (status IN ('waiting', 'making', 'done', 'failed')),
        CONSTRAINT statements_done_check CHECK (status <> 'done' OR opening + received - paid_out + refunded = closing),
        CONSTRAINT statements_signature_check CHECK (is_final OR signature IS NULL)
      );
      CREATE INDEX statements_open ON statements (created_at) WHERE status IN ('waiting', 'making');
      CREATE TABLE statement_chunks (
        statement_id uuid NOT NULL CONSTRAINT statement_chunks_statement_id_fkey REFERENCES statements ON DELETE CASCADE,
        format       text NOT NULL,
        place        integer NOT NULL,
        bytes        bytea NOT NULL,
        PRIMARY KEY (statement_id, format, place)
      );
      CREATE TABLE statement_mails (
        user_id      uuid PRIMARY KEY,
        account_id   uuid NOT NULL,
        mailed_month text NOT NULL
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE statement_mails, statement_chunks, statements');
  }
}
