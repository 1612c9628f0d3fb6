import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The checks of the four tables that a payment writes, in forms that cost a statement next to nothing. PostgreSQL reads
 * and plans every check of a table anew for each statement that writes it, some 8 µs a kilobyte of what it stores of them:
 * an eighth of what a lone payment costs. What a domain or a function says is read once a session. So what one column
 * must be is its domain, and what the columns of a row must be together is one call of a function, which never answers
 * null: a check would let that pass.
 *
 * The facts of a decision become plain JSON: no statement looks into them, and they are stored as they are sent.
 */
export class ChecksOfHotTables1764580000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE DOMAIN positive_kobo AS bigint CHECK (VALUE BETWEEN 1 AND 9007199254740991);
      CREATE DOMAIN wallet_balance AS bigint
        CONSTRAINT wallets_balance_range CHECK (VALUE BETWEEN 0 AND 9007199254740991);
      CREATE DOMAIN running_count AS bigint CHECK (VALUE >= 0);
      CREATE DOMAIN running_total AS numeric CHECK (VALUE >= 0);
      CREATE DOMAIN period_days AS integer CHECK (VALUE BETWEEN 1 AND 3650);
      CREATE DOMAIN wallet_version AS integer CHECK (VALUE > 0);
      CREATE DOMAIN wallet_status AS text CHECK (VALUE IN ('ACTIVE', 'SUSPENDED', 'CLOSED'));
      CREATE DOMAIN ledger_source AS text CHECK (VALUE IN ('withdrawal', 'transfer'));

      -- Parameters of the very types of the columns, domains included: a cast would be read anew like all else. What an
      -- ordinary row needs comes first: an expression is made ready for each transaction that gets to it.
      CREATE FUNCTION is_wallet_state(balance wallet_balance, held bigint, held_count integer, attempt_count bigint,
          blocked_count bigint, spend_limit_per_tx kobo, spend_limit_period kobo)
        RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
        BEGIN
          IF held = 0 AND held_count = 0 THEN
            RETURN (blocked_count BETWEEN 0 AND attempt_count
              AND spend_limit_per_tx > 0 AND spend_limit_period >= spend_limit_per_tx) IS TRUE;
          END IF;
          RETURN (held_count > 0 AND held BETWEEN held_count AND balance
            AND blocked_count BETWEEN 0 AND attempt_count
            AND spend_limit_per_tx > 0 AND spend_limit_period >= spend_limit_per_tx) IS TRUE;
        END $$;
      CREATE FUNCTION is_transaction_state(seq bigint, blocked_total bigint, idempotency_key text,
          fingerprint bytea, approval text, block_reason text, expires_at timestamptz, decided_at timestamptz)
        RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
        BEGIN
          IF approval IS NULL AND expires_at IS NULL AND decided_at IS NULL THEN
            RETURN (seq > 0 AND blocked_total BETWEEN 0 AND seq
              AND (fingerprint IS NULL) = (idempotency_key IS NULL)) IS TRUE;
          END IF;
          RETURN (seq > 0 AND blocked_total BETWEEN 0 AND seq
            AND (fingerprint IS NULL) = (idempotency_key IS NULL)
            AND expires_at IS NOT NULL AND (approval = 'pending') = (decided_at IS NULL)
            AND CASE approval
              WHEN 'pending' THEN block_reason IS NULL
              WHEN 'approved' THEN block_reason IS NULL AND decided_at < expires_at
              WHEN 'denied' THEN block_reason = 'APPROVAL_DENIED'
              WHEN 'expired' THEN block_reason = 'APPROVAL_EXPIRED' END) IS TRUE;
        END $$;
      CREATE FUNCTION is_ledger_entry_state(seq bigint, type text, transaction_id uuid)
        RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
        BEGIN
          IF transaction_id IS NULL THEN RETURN (seq > 0 AND type = 'topup') IS TRUE; END IF;
          RETURN (seq > 0 AND type IN ('debit', 'refund')) IS TRUE;
        END $$;
      CREATE FUNCTION is_settlement_state(status text, next_poll_at timestamptz)
        RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
        BEGIN
          RETURN CASE WHEN status IN ('pending', 'processing') THEN next_poll_at IS NOT NULL
            WHEN status IN ('succeeded', 'failed', 'reversed') THEN next_poll_at IS NULL ELSE false END;
        END $$;

      ALTER TABLE wallets
        DROP CONSTRAINT wallets_balance_range,
        DROP CONSTRAINT wallets_counts_check,
        DROP CONSTRAINT wallets_held_check,
        DROP CONSTRAINT wallets_spend_limit_per_tx_check,
        DROP CONSTRAINT wallets_check,
        DROP CONSTRAINT wallets_period_window_days_check,
        DROP CONSTRAINT wallets_version_check,
        DROP CONSTRAINT wallets_status_check,
        ALTER COLUMN balance TYPE wallet_balance,
        ALTER COLUMN entry_count TYPE running_count,
        ALTER COLUMN spent_total TYPE running_total,
        ALTER COLUMN window_spent TYPE kobo,
        ALTER COLUMN period_window_days TYPE period_days,
        ALTER COLUMN version TYPE wallet_version,
        ALTER COLUMN status TYPE wallet_status,
        ADD CONSTRAINT wallets_check CHECK (is_wallet_state(balance, held, held_count, attempt_count, blocked_count,
          spend_limit_per_tx, spend_limit_period));

      DROP TRIGGER transactions_decided_once ON transactions;
      ALTER TABLE transactions
        DROP CONSTRAINT transactions_seq_check,
        DROP CONSTRAINT transactions_amount_check,
        DROP CONSTRAINT transactions_spent_total_check,
        DROP CONSTRAINT transactions_check,
        DROP CONSTRAINT transactions_check1,
        DROP CONSTRAINT transactions_approval_state_check,
        ALTER COLUMN amount TYPE positive_kobo,
        ALTER COLUMN spent_total TYPE running_total,
        ALTER COLUMN facts TYPE json,
        ADD CONSTRAINT transactions_check CHECK (is_transaction_state(seq, blocked_total, idempotency_key,
          fingerprint, approval, block_reason, approval_expires_at, approval_decided_at));
      ${DECIDED_ONCE}
      DROP FUNCTION is_approval_state;

      ALTER TABLE ledger_entries
        DROP CONSTRAINT ledger_entries_seq_check,
        DROP CONSTRAINT ledger_entries_type_check,
        DROP CONSTRAINT ledger_entries_amount_check,
        DROP CONSTRAINT ledger_entries_source_check,
        DROP CONSTRAINT ledger_entries_check,
        ALTER COLUMN amount TYPE positive_kobo,
        ALTER COLUMN source TYPE ledger_source,
        ADD CONSTRAINT ledger_entries_check CHECK (is_ledger_entry_state(seq, type, transaction_id));

      ALTER TABLE settlements
        DROP CONSTRAINT settlements_amount_check,
        DROP CONSTRAINT settlements_status_check,
        DROP CONSTRAINT settlements_check,
        ALTER COLUMN amount TYPE positive_kobo,
        ADD CONSTRAINT settlements_check CHECK (is_settlement_state(status, next_poll_at));
      ${ANALYZED}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION is_approval_state(approval text, block_reason text, expires_at timestamptz, decided_at timestamptz)
        RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
        BEGIN
          -- never null, which a check would let pass
          RETURN CASE
            WHEN approval IS NULL THEN expires_at IS NULL AND decided_at IS NULL
            WHEN expires_at IS NULL THEN false
            WHEN approval = 'pending' THEN block_reason IS NULL AND decided_at IS NULL
            WHEN decided_at IS NULL THEN false
            WHEN approval = 'approved' THEN block_reason IS NULL AND decided_at < expires_at
            WHEN approval = 'denied' THEN block_reason IS NOT DISTINCT FROM 'APPROVAL_DENIED'
            WHEN approval = 'expired' THEN block_reason IS NOT DISTINCT FROM 'APPROVAL_EXPIRED'
            ELSE false END;
        END $$;

      ALTER TABLE wallets
        DROP CONSTRAINT wallets_check,
        ALTER COLUMN balance TYPE bigint,
        ALTER COLUMN entry_count TYPE bigint,
        ALTER COLUMN spent_total TYPE numeric,
        ALTER COLUMN window_spent TYPE bigint,
        ALTER COLUMN period_window_days TYPE integer,
        ALTER COLUMN version TYPE integer,
        ALTER COLUMN status TYPE text,
        ADD CONSTRAINT wallets_balance_range CHECK (balance BETWEEN 0 AND 9007199254740991),
        ADD CONSTRAINT wallets_counts_check CHECK (blocked_count BETWEEN 0 AND attempt_count AND entry_count >= 0
          AND spent_total >= 0 AND window_spent >= 0),
        ADD CONSTRAINT wallets_held_check CHECK (held BETWEEN 0 AND balance AND held_count BETWEEN 0 AND held
          AND (held = 0) = (held_count = 0)),
        ADD CONSTRAINT wallets_spend_limit_per_tx_check CHECK (spend_limit_per_tx > 0),
        ADD CONSTRAINT wallets_check CHECK (spend_limit_period >= spend_limit_per_tx),
        ADD CONSTRAINT wallets_period_window_days_check CHECK (period_window_days BETWEEN 1 AND 3650),
        ADD CONSTRAINT wallets_version_check CHECK (version > 0),
        ADD CONSTRAINT wallets_status_check CHECK (status IN ('ACTIVE', 'SUSPENDED', 'CLOSED'));

      DROP TRIGGER transactions_decided_once ON transactions;
      ALTER TABLE transactions
        DROP CONSTRAINT transactions_check,
        ALTER COLUMN amount TYPE kobo,
        ALTER COLUMN spent_total TYPE numeric,
        ALTER COLUMN facts TYPE jsonb,
        ADD CONSTRAINT transactions_seq_check CHECK (seq > 0),
        ADD CONSTRAINT transactions_amount_check CHECK (amount > 0),
        ADD CONSTRAINT transactions_spent_total_check CHECK (spent_total >= 0),
        ADD CONSTRAINT transactions_check CHECK ((fingerprint IS NULL) = (idempotency_key IS NULL)),
        ADD CONSTRAINT transactions_check1 CHECK (blocked_total BETWEEN 0 AND seq),
        ADD CONSTRAINT transactions_approval_state_check
          CHECK (is_approval_state(approval, block_reason, approval_expires_at, approval_decided_at));
      ${DECIDED_ONCE}

      ALTER TABLE ledger_entries
        DROP CONSTRAINT ledger_entries_check,
        ALTER COLUMN amount TYPE kobo,
        ALTER COLUMN source TYPE text,
        ADD CONSTRAINT ledger_entries_seq_check CHECK (seq > 0),
        ADD CONSTRAINT ledger_entries_type_check CHECK (type IN ('topup', 'debit', 'refund')),
        ADD CONSTRAINT ledger_entries_amount_check CHECK (amount > 0),
        ADD CONSTRAINT ledger_entries_source_check CHECK (source IN ('withdrawal', 'transfer')),
        ADD CONSTRAINT ledger_entries_check CHECK ((transaction_id IS NULL) = (type = 'topup'));

      ALTER TABLE settlements
        DROP CONSTRAINT settlements_check,
        ALTER COLUMN amount TYPE kobo,
        ADD CONSTRAINT settlements_amount_check CHECK (amount > 0),
        ADD CONSTRAINT settlements_status_check
          CHECK (status IN ('pending', 'processing', 'succeeded', 'failed', 'reversed')),
        ADD CONSTRAINT settlements_check CHECK ((next_poll_at IS NULL) = (status NOT IN ('pending', 'processing')));

      DROP FUNCTION is_wallet_state, is_transaction_state, is_ledger_entry_state, is_settlement_state;
      DROP DOMAIN positive_kobo, wallet_balance, running_count, running_total, period_days,
        wallet_version, wallet_status, ledger_source;
      ${ANALYZED}
    `);
  }
}

/** Made again, since it names a column whose type changes: after the constraints, so that each is refused under its name. */
const DECIDED_ONCE = `
      CREATE TRIGGER transactions_decided_once AFTER UPDATE ON transactions FOR EACH ROW
        WHEN (OLD.amount <> NEW.amount OR OLD.approval IS DISTINCT FROM 'pending'
          AND (OLD.approval, OLD.block_reason) IS DISTINCT FROM (NEW.approval, NEW.block_reason))
        EXECUTE FUNCTION refuse_deciding_again();`;

/** A column of another type has lost its statistics. Tables without rows stay as new ones are, for which plans are made with care. */
const ANALYZED = `
      DO $$ BEGIN
        IF EXISTS (SELECT FROM wallets) THEN ANALYZE wallets, transactions, ledger_entries, settlements; END IF;
      END $$;`;
