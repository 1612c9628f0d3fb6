import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What operators do, on record; and what they may suspend, own and mark. */
export class Operators1764850000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE wallets ADD COLUMN suspended_by_operator boolean NOT NULL DEFAULT false;
      ALTER TABLE inbound_transfers ADD COLUMN returned_at timestamptz;
      ALTER TABLE operator_cases ADD COLUMN owner_id uuid;
      ALTER TABLE users ADD COLUMN suspended_at timestamptz;

      CREATE TABLE operator_acts (
        id           uuid PRIMARY KEY,
        at           timestamptz NOT NULL,
        -- null: the command line
        operator_id  uuid,
        confirmed_by uuid,
        act          text NOT NULL,
        subject      text NOT NULL,
        case_id      uuid,
        amount       bigint,
        reason       text NOT NULL,
        before       jsonb NOT NULL,
        after        jsonb NOT NULL,
        CONSTRAINT operator_acts_two_people CHECK (confirmed_by <> operator_id)
      );
      CREATE INDEX operator_acts_by_time ON operator_acts (at, id);
      CREATE TRIGGER operator_acts_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON operator_acts
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting();

      CREATE TABLE operator_proposals (
        id          uuid PRIMARY KEY,
        act         text NOT NULL,
        subject     text NOT NULL,
        details     jsonb NOT NULL,
        amount      bigint NOT NULL,
        reason      text NOT NULL,
        proposed_by uuid NOT NULL,
        proposed_at timestamptz NOT NULL,
        expires_at  timestamptz NOT NULL,
        decision    text CONSTRAINT operator_proposals_decision_check CHECK (decision IN ('confirmed', 'rejected')),
        decided_by  uuid,
        decided_at  timestamptz,
        CONSTRAINT operator_proposals_decided CHECK (num_nulls(decision, decided_by, decided_at) IN (0, 3)),
        CONSTRAINT operator_proposals_two_people CHECK (decision <> 'confirmed' OR decided_by <> proposed_by)
      );
      CREATE UNIQUE INDEX operator_proposals_open ON operator_proposals (act, subject) WHERE decision IS NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DO $$ BEGIN
        IF EXISTS (SELECT FROM wallets WHERE suspended_by_operator) OR EXISTS (SELECT FROM users WHERE suspended_at IS NOT NULL) THEN
          RAISE EXCEPTION 'Operators have suspended wallets or users, whom a revert would let go on: resume them first.';
        END IF;
      END $$;
      ALTER TABLE wallets DROP COLUMN suspended_by_operator;
      DROP TABLE operator_proposals;
      DROP TABLE operator_acts;
      ALTER TABLE users DROP COLUMN suspended_at;
      ALTER TABLE operator_cases DROP COLUMN owner_id;
      ALTER TABLE inbound_transfers DROP COLUMN returned_at;
    `);
  }
}
