import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The tables of the main job. Money is bigint kobo; what the code promises, the database promises too.
 * Every table on the money path starts its keys with the wallet, so that it can be distributed by it.
 */
export class MainJob1764000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE DOMAIN kobo AS bigint CHECK (VALUE BETWEEN 0 AND 9007199254740991);

      -- identity
      CREATE TABLE users (
        id            uuid PRIMARY KEY,
        email         text NOT NULL CONSTRAINT users_email_key UNIQUE CHECK (email = lower(email)),
        password_hash text NOT NULL,
        account_type  text NOT NULL CHECK (account_type IN ('developer', 'business')),
        is_operator   boolean NOT NULL DEFAULT false,
        created_at    timestamptz NOT NULL
      );
      CREATE TABLE sessions (
        id         uuid PRIMARY KEY,
        user_id    uuid NOT NULL REFERENCES users,
        expires_at timestamptz NOT NULL
      );
      CREATE INDEX sessions_expiry ON sessions (expires_at);

      CREATE TABLE rate_limits (
        key    varchar(255) PRIMARY KEY,
        points integer NOT NULL DEFAULT 0,
        expire bigint
      );

      -- business
      CREATE TABLE businesses (
        id            uuid PRIMARY KEY,
        user_id       uuid NOT NULL UNIQUE,
        name          text NOT NULL,
        contact_email text NOT NULL,
        contact_phone text,
        created_at    timestamptz NOT NULL
      );

      -- wallet
      CREATE TABLE wallets (
        id                  uuid PRIMARY KEY,
        user_id             uuid NOT NULL,
        name                text NOT NULL,
        balance             bigint NOT NULL DEFAULT 0
          CONSTRAINT wallets_balance_range CHECK (balance BETWEEN 0 AND 9007199254740991),
        spend_limit_per_tx  kobo NOT NULL CHECK (spend_limit_per_tx > 0),
        spend_limit_period  kobo NOT NULL CHECK (spend_limit_period >= spend_limit_per_tx),
        period_window_days  integer NOT NULL CHECK (period_window_days BETWEEN 1 AND 3650),
        expiry              timestamptz NOT NULL,
        use_allowlist       boolean NOT NULL,
        merchant_allowlist  text[] NOT NULL,
        -- the same entries in the form merchants are compared in
        allowed_merchants   text[] NOT NULL,
        status              text NOT NULL DEFAULT 'ACTIVE',
        created_at          timestamptz NOT NULL,
        updated_at          timestamptz NOT NULL
      ) WITH (fillfactor = 70);
      CREATE INDEX wallets_by_user ON wallets (user_id, created_at DESC, id DESC);
      CREATE TABLE api_keys (
        id         uuid PRIMARY KEY,
        wallet_id  uuid NOT NULL REFERENCES wallets,
        hash       bytea NOT NULL UNIQUE CHECK (length(hash) = 32),
        key_prefix text NOT NULL,
        created_at timestamptz NOT NULL,
        revoked_at timestamptz
      );
      CREATE INDEX api_keys_by_wallet ON api_keys (wallet_id, created_at);
      CREATE TABLE wallet_merchants (
        wallet_id uuid NOT NULL,
        merchant  text NOT NULL,
        id        uuid NOT NULL,
        name      text NOT NULL,
        PRIMARY KEY (wallet_id, merchant)
      );

      -- payments
      CREATE TABLE transactions (
        wallet_id            uuid NOT NULL,
        seq                  bigint NOT NULL CHECK (seq > 0),
        id                   uuid NOT NULL,
        amount               kobo NOT NULL CHECK (amount > 0),
        merchant             text NOT NULL,
        merchant_name        text NOT NULL,
        recipient_account_no text NOT NULL,
        recipient_bank_code  text NOT NULL,
        reason               text,
        block_reason         text,
        -- what the six checks were decided on
        facts                jsonb NOT NULL,
        -- all that the wallet ever spent, this transaction included
        spent_total          bigint NOT NULL CHECK (spent_total >= 0),
        created_at           timestamptz NOT NULL,
        idempotency_key      text,
        fingerprint          bytea CHECK ((fingerprint IS NULL) = (idempotency_key IS NULL)),
        PRIMARY KEY (wallet_id, seq),
        UNIQUE (id, wallet_id)
      );
      CREATE INDEX transactions_by_time ON transactions (wallet_id, created_at, seq);
      CREATE UNIQUE INDEX transactions_idempotency ON transactions (wallet_id, idempotency_key)
        WHERE idempotency_key IS NOT NULL;
      CREATE TABLE refunded_payments (
        wallet_id      uuid NOT NULL,
        transaction_id uuid NOT NULL,
        amount         kobo NOT NULL CHECK (amount > 0),
        paid_at        timestamptz NOT NULL,
        PRIMARY KEY (wallet_id, transaction_id)
      );
      CREATE INDEX refunded_payments_by_time ON refunded_payments (wallet_id, paid_at);

      -- settlement
      CREATE TABLE settlements (
        reference  uuid NOT NULL,
        wallet_id  uuid NOT NULL,
        amount     kobo NOT NULL CHECK (amount > 0),
        account_no text NOT NULL,
        bank_code  text NOT NULL,
        narration  text NOT NULL,
        status     text NOT NULL DEFAULT 'pending'
          CHECK (status IN ('pending', 'processing', 'succeeded', 'failed', 'reversed')),
        steps      jsonb NOT NULL,
        paid_at    timestamptz NOT NULL,
        -- when it is looked at again; null once it is final
        looks        integer NOT NULL DEFAULT 0,
        next_look_at timestamptz CHECK ((next_look_at IS NULL) = (status NOT IN ('pending', 'processing'))),
        PRIMARY KEY (reference, wallet_id)
      ) WITH (fillfactor = 70);
      CREATE INDEX settlements_due ON settlements (next_look_at) WHERE next_look_at IS NOT NULL;

      -- bank: the books of the sandbox
      CREATE TABLE sandbox_accounts (
        account_reference text PRIMARY KEY,
        serial            bigint GENERATED ALWAYS AS IDENTITY (START WITH 201000001 MAXVALUE 999999999) UNIQUE,
        account_name      text NOT NULL
      );
      CREATE TABLE sandbox_payouts (
        reference      uuid PRIMARY KEY,
        amount         kobo NOT NULL,
        bank_code      text NOT NULL,
        account_number text NOT NULL,
        accepted_at    timestamptz NOT NULL
      );

      -- ledger
      CREATE TABLE ledger_entries (
        wallet_id      uuid NOT NULL,
        seq            bigint NOT NULL CHECK (seq > 0),
        id             uuid NOT NULL,
        type           text NOT NULL CHECK (type IN ('topup', 'debit', 'refund')),
        amount         kobo NOT NULL CHECK (amount > 0),
        balance_after  kobo NOT NULL,
        transaction_id uuid CHECK ((transaction_id IS NULL) = (type = 'topup')),
        reference      text NOT NULL,
        narration      text,
        created_at     timestamptz NOT NULL,
        PRIMARY KEY (wallet_id, seq)
      );
      -- one debit and at most one refund a transaction; one topup a transfer
      CREATE UNIQUE INDEX ledger_entries_once ON ledger_entries (transaction_id, type, wallet_id)
        WHERE transaction_id IS NOT NULL;
      CREATE UNIQUE INDEX ledger_topups_once ON ledger_entries (reference, wallet_id) WHERE type = 'topup';
      CREATE INDEX ledger_entries_by_time ON ledger_entries (wallet_id, created_at, seq);
      CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'the ledger is append-only'; END $$;
      CREATE TRIGGER ledger_entries_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_entries
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

      -- funding
      CREATE TABLE virtual_accounts (
        id             uuid PRIMARY KEY,
        wallet_id      uuid NOT NULL UNIQUE,
        account_number text NOT NULL CHECK (account_number ~ '^[0-9]{10}$'),
        account_name   text NOT NULL,
        bank_name      text NOT NULL,
        bank_code      text NOT NULL,
        provider_ref   text NOT NULL,
        created_at     timestamptz NOT NULL,
        UNIQUE (bank_code, account_number)
      );
      CREATE TABLE inbound_transfers (
        id          uuid PRIMARY KEY,
        status      text NOT NULL CHECK (status IN ('credited', 'held', 'conflict', 'unmatched', 'ignored')),
        reference   text,
        wallet_id   uuid,
        amount      kobo CHECK (amount > 0),
        currency    text,
        narration   text,
        why         text,
        body        text NOT NULL,
        body_hash   bytea NOT NULL,
        deliveries  integer NOT NULL DEFAULT 1,
        received_at timestamptz NOT NULL
      );
      -- a transfer is seen once: the one row that duplicates meet
      CREATE UNIQUE INDEX inbound_transfers_seen ON inbound_transfers (reference)
        WHERE status IN ('credited', 'held');
      -- what is only recorded is recorded once, however often it is sent
      CREATE UNIQUE INDEX inbound_transfers_recorded ON inbound_transfers (body_hash, status)
        WHERE status NOT IN ('credited', 'held');
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE inbound_transfers, virtual_accounts, ledger_entries, sandbox_payouts, sandbox_accounts, settlements, refunded_payments,
        transactions, wallet_merchants, api_keys, wallets, businesses, rate_limits, sessions, users;
      DROP FUNCTION refuse_change;
      DROP DOMAIN kobo;
    `);
  }
}
