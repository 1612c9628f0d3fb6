import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Notes and receipt files of payments. EXTERNAL: a part of a file is read without the rest. */
export class PaymentNotesAndFiles1764950000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE payment_notes (
        wallet_id      uuid NOT NULL,
        transaction_id uuid NOT NULL,
        id             uuid NOT NULL,
        author_id      uuid NOT NULL,
        author         text,
        text           text NOT NULL,
        created_at     timestamptz NOT NULL,
        PRIMARY KEY (wallet_id, transaction_id, id),
        CONSTRAINT payment_notes_text_check CHECK (char_length(text) BETWEEN 1 AND 2000)
      );
      CREATE TABLE payment_files (
        wallet_id      uuid NOT NULL,
        transaction_id uuid NOT NULL,
        id             uuid NOT NULL,
        account_id     uuid NOT NULL,
        name           text NOT NULL,
        type           text NOT NULL,
        size           integer NOT NULL,
        sha256         text NOT NULL,
        added_by       uuid NOT NULL,
        added_by_email text,
        created_at     timestamptz NOT NULL,
        bytes          bytea NOT NULL,
        PRIMARY KEY (wallet_id, transaction_id, id),
        CONSTRAINT payment_files_size_check CHECK (size BETWEEN 1 AND 5242880 AND octet_length(bytes) = size)
      );
      ALTER TABLE payment_files ALTER COLUMN bytes SET STORAGE EXTERNAL;
      CREATE TABLE payment_file_totals (
        account_id uuid PRIMARY KEY,
        bytes      bigint NOT NULL,
        CONSTRAINT payment_file_totals_bytes_check CHECK (bytes >= 0)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE payment_file_totals, payment_files, payment_notes');
  }
}
