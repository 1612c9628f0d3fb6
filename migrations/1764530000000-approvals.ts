import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Payments that wait for a person (docs/adr/0007). A wallet carries what they hold of its balance; an attempt carries
 * who decided it, and when. An attempt that needed no approval leaves these columns null, and its place among the
 * blocked (`blocked_total`) stays its own: one that a person denied has none.
 */
export class Approvals1764530000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE wallets
        ADD COLUMN held bigint NOT NULL DEFAULT 0,
        ADD COLUMN held_count integer NOT NULL DEFAULT 0,
        ADD CONSTRAINT wallets_held_check CHECK (held BETWEEN 0 AND balance AND held_count BETWEEN 0 AND held
          AND (held = 0) = (held_count = 0));

      ALTER TABLE transactions
        ADD COLUMN approval text CONSTRAINT transactions_approval_check
          CHECK (approval IN ('pending', 'approved', 'denied', 'expired')),
        ADD COLUMN approval_expires_at timestamptz,
        ADD COLUMN approval_decided_at timestamptz,
        ADD COLUMN approval_decided_by uuid,
        ADD COLUMN approval_note text,
        ADD CONSTRAINT transactions_approval_outcome_check CHECK (approval IS NULL
          OR block_reason IS NOT DISTINCT FROM CASE approval
            WHEN 'denied' THEN 'APPROVAL_DENIED' WHEN 'expired' THEN 'APPROVAL_EXPIRED' END),
        ADD CONSTRAINT transactions_approval_time_check CHECK ((approval IS NULL) = (approval_expires_at IS NULL)
          AND (approval IS NULL OR approval = 'pending') = (approval_decided_at IS NULL)
          AND (approval IS DISTINCT FROM 'approved' OR approval_decided_at < approval_expires_at));
      CREATE INDEX transactions_approvals ON transactions (wallet_id, seq) WHERE approval IS NOT NULL;
      CREATE INDEX transactions_approvals_pending ON transactions (wallet_id, created_at, seq)
        WHERE approval = 'pending';
      CREATE INDEX transactions_approvals_due ON transactions (approval_expires_at) WHERE approval = 'pending';
      DROP INDEX transactions_blocked;
      CREATE UNIQUE INDEX transactions_blocked ON transactions (wallet_id, blocked_total)
        WHERE block_reason IS NOT NULL AND approval IS NULL;

      -- after the constraints, so that each is refused under its own name
      CREATE FUNCTION refuse_deciding_again() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'the decision on a payment is final'; END $$;
      CREATE TRIGGER transactions_decided_once AFTER UPDATE ON transactions FOR EACH ROW
        WHEN (OLD.amount <> NEW.amount OR OLD.approval IS DISTINCT FROM 'pending'
          AND (OLD.approval, OLD.block_reason) IS DISTINCT FROM (NEW.approval, NEW.block_reason))
        EXECUTE FUNCTION refuse_deciding_again();
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TRIGGER transactions_decided_once ON transactions;
      DROP FUNCTION refuse_deciding_again;
      ALTER TABLE transactions DROP COLUMN approval, DROP COLUMN approval_expires_at,
        DROP COLUMN approval_decided_at, DROP COLUMN approval_decided_by, DROP COLUMN approval_note;
      CREATE UNIQUE INDEX transactions_blocked ON transactions (wallet_id, blocked_total)
        WHERE block_reason IS NOT NULL;
      ALTER TABLE wallets DROP COLUMN held, DROP COLUMN held_count;
    `);
  }
}
