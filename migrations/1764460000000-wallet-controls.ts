import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What owners keep of their wallets: a version and a status that they change, a record of every change, and the money
 * that they take out themselves. A withdrawal and a transfer are no payments: they have tables of their own, and
 * `source` tells their ledger entries from those of payments, where it is null.
 */
export class WalletControls1764460000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE wallets
        ADD COLUMN version integer NOT NULL DEFAULT 1,
        ADD CONSTRAINT wallets_version_check CHECK (version > 0),
        ADD CONSTRAINT wallets_status_check CHECK (status IN ('ACTIVE', 'SUSPENDED', 'CLOSED'));

      CREATE TABLE wallet_changes (
        wallet_id  uuid NOT NULL,
        seq        bigint NOT NULL CONSTRAINT wallet_changes_seq_check CHECK (seq > 0),
        id         uuid NOT NULL,
        user_id    uuid NOT NULL,
        action     text NOT NULL,
        -- what was changed alone
        before     jsonb NOT NULL,
        after      jsonb NOT NULL,
        created_at timestamptz NOT NULL,
        PRIMARY KEY (wallet_id, seq)
      );
      CREATE FUNCTION refuse_rewriting() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'the record of changes is append-only'; END $$;
      CREATE TRIGGER wallet_changes_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON wallet_changes
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting();

      CREATE TABLE withdrawals (
        wallet_id       uuid NOT NULL,
        seq             bigint NOT NULL CONSTRAINT withdrawals_seq_check CHECK (seq > 0),
        id              uuid NOT NULL,
        user_id         uuid NOT NULL,
        amount          kobo NOT NULL CONSTRAINT withdrawals_amount_check CHECK (amount > 0),
        account_number  text NOT NULL,
        bank_code       text NOT NULL,
        narration       text,
        idempotency_key text,
        fingerprint     bytea CONSTRAINT withdrawals_fingerprint_check
                          CHECK ((fingerprint IS NULL) = (idempotency_key IS NULL)),
        created_at      timestamptz NOT NULL,
        PRIMARY KEY (wallet_id, seq),
        CONSTRAINT withdrawals_id_key UNIQUE (id, wallet_id)
      );
      CREATE UNIQUE INDEX withdrawals_idempotency ON withdrawals (wallet_id, idempotency_key)
        WHERE idempotency_key IS NOT NULL;

      CREATE TABLE wallet_transfers (
        from_wallet_id  uuid NOT NULL,
        id              uuid NOT NULL,
        to_wallet_id    uuid NOT NULL,
        user_id         uuid NOT NULL,
        amount          kobo NOT NULL CONSTRAINT wallet_transfers_amount_check CHECK (amount > 0),
        narration       text,
        idempotency_key text,
        fingerprint     bytea CONSTRAINT wallet_transfers_fingerprint_check
                          CHECK ((fingerprint IS NULL) = (idempotency_key IS NULL)),
        created_at      timestamptz NOT NULL,
        PRIMARY KEY (from_wallet_id, id),
        CONSTRAINT wallet_transfers_check CHECK (from_wallet_id <> to_wallet_id)
      );
      CREATE UNIQUE INDEX wallet_transfers_idempotency ON wallet_transfers (from_wallet_id, idempotency_key)
        WHERE idempotency_key IS NOT NULL;

      ALTER TABLE ledger_entries ADD COLUMN source text
        CONSTRAINT ledger_entries_source_check CHECK (source IN ('withdrawal', 'transfer'));
      ALTER TABLE settlements ADD COLUMN is_withdrawal boolean NOT NULL DEFAULT false;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE settlements DROP COLUMN is_withdrawal;
      ALTER TABLE ledger_entries DROP COLUMN source;
      DROP TABLE wallet_transfers, withdrawals, wallet_changes;
      DROP FUNCTION refuse_rewriting;
      ALTER TABLE wallets DROP CONSTRAINT wallets_status_check, DROP COLUMN version;
    `);
  }
}
