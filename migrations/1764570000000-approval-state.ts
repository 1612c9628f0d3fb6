import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The three checks on approvals become one. PostgreSQL reads and plans every check of a table anew for each statement
 * that writes it: these three cost a lone payment as much as all its other checks together, though most payments need
 * no approval. A function is compiled once a session.
 */
export class ApprovalState1764570000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
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
      ALTER TABLE transactions
        ADD CONSTRAINT transactions_approval_state_check
          CHECK (is_approval_state(approval, block_reason, approval_expires_at, approval_decided_at)),
        DROP CONSTRAINT transactions_approval_check,
        DROP CONSTRAINT transactions_approval_outcome_check,
        DROP CONSTRAINT transactions_approval_time_check;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE transactions
        ADD CONSTRAINT transactions_approval_check
          CHECK (approval IN ('pending', 'approved', 'denied', 'expired')),
        ADD CONSTRAINT transactions_approval_outcome_check CHECK (approval IS NULL
          OR block_reason IS NOT DISTINCT FROM CASE approval
            WHEN 'denied' THEN 'APPROVAL_DENIED' WHEN 'expired' THEN 'APPROVAL_EXPIRED' END),
        ADD CONSTRAINT transactions_approval_time_check CHECK ((approval IS NULL) = (approval_expires_at IS NULL)
          AND (approval IS NULL OR approval = 'pending') = (approval_decided_at IS NULL)
          AND (approval IS DISTINCT FROM 'approved' OR approval_decided_at < approval_expires_at)),
        DROP CONSTRAINT transactions_approval_state_check;
      DROP FUNCTION is_approval_state;
    `);
  }
}
